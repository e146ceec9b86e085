//! Clients that do two things at once, or stop in the middle.

use std::time::Duration;

use serde_json::json;
use silcrow_server::Options;
use silcrow_store::Store as _;
use silcrow_tool::ParkAll;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};

use crate::questions::waiting;
use crate::save::Save;
use crate::support::{SlowModel, TestServer, block_on};

#[test]
fn concurrent_stops_stop_one_run() {
    block_on(async {
        let (model, _release) = SlowModel::new();
        let server = TestServer::new(model).await;
        let run = server.start("c1", "Go.").await;
        let mut reader = server.events("/conversations/c1/events", None).await;
        reader.until("user").await;
        let body = format!(r#"{{"run":"{run}"}}"#);
        let stop = |path: &'static str| server.send("POST", path, &body);
        let (one, other) = tokio::join!(stop("/conversations/c1/stop"), stop("/api/chat/c1/stop"));
        // The second one may come when the run is over.
        let mut both = [one.status, other.status];
        both.sort_unstable();
        assert!([[202, 202], [202, 409]].contains(&both), "{one:?} {other:?}");
        let read = reader.until("idle").await;
        let cancelled = read.iter().filter(|message| message.data["type"] == "cancelled").count();
        assert_eq!(cancelled, 1, "{read:?}");
    });
}

#[test]
fn concurrent_duplicate_answers_count_once() {
    block_on(async {
        for _ in 0..20 {
            let server = waiting().await;
            let asked = server.send("GET", "/conversations/c1/questions", "").await.json();
            let answers: Vec<_> = asked["questions"]
                .as_array()
                .unwrap()
                .iter()
                .map(|asked| json!({ "question": asked["id"], "decision": "allow" }))
                .collect();
            let body = json!({ "answers": answers }).to_string();
            let give = || server.send("POST", "/conversations/c1/answers", &body);
            let replies = tokio::join!(give(), give(), give());
            let replies = [replies.0, replies.1, replies.2];
            let taken = replies.iter().filter(|reply| reply.status == 200).count();
            assert_eq!(taken, 1, "{replies:?}");
            assert!(replies.iter().all(|reply| [200, 409].contains(&reply.status)), "{replies:?}");
            let mut reader = server.events("/conversations/c1/events", None).await;
            while reader.next().await.unwrap().data["outcome"] != "answered" {}
            let log = server.send("GET", "/conversations/c1", "").await.body;
            assert_eq!(log.matches(r#""type":"result""#).count(), 2, "{log}");
        }
    });
}

#[test]
fn running_conversation_only_forks() {
    block_on(async {
        let (model, release) = SlowModel::new();
        let server = TestServer::new(model).await;
        server.start("c1", "Go.").await;
        let mut reader = server.events("/conversations/c1/events", None).await;
        release.send("§think: so\n§respond: One".to_owned()).await.unwrap();
        reader.until("think").await;
        for (method, path) in [("DELETE", "/conversations/c1"), ("POST", "/conversations/c1/undo")]
        {
            let reply = server.send(method, path, "").await;
            assert_eq!((reply.status, &*reply.code()), (409, "busy"), "{path}");
        }
        let reply = server.send("POST", "/conversations/c1/fork", "").await;
        assert_eq!(reply.status, 201, "{reply:?}");
        let fork = reply.json()["conversation"].as_str().unwrap().to_owned();
        // Nothing takes the place of a run, not even a fork.
        let onto =
            server.send("POST", &format!("/conversations/{fork}/fork"), r#"{"id":"c1"}"#).await;
        assert_eq!((onto.status, &*onto.code()), (409, "busy"));
        for piece in [", two.\n§end", ""] {
            release.send(piece.to_owned()).await.unwrap();
        }
        assert_eq!(reader.until("idle").await.last().unwrap().data["outcome"], "answered");
        // The fork has the events that were stored by then, and continues on its own.
        let log = server.send("GET", &format!("/conversations/{fork}"), "").await.json();
        assert_eq!(log["events"][0]["content"], "Go.", "{log}");
        server.start(&fork, "And here?").await;
        for piece in ["§respond: Three.\n§end", ""] {
            release.send(piece.to_owned()).await.unwrap();
        }
        let mut reader = server.events(&format!("/conversations/{fork}/events"), None).await;
        assert_eq!(reader.until("idle").await.last().unwrap().data["outcome"], "answered");
    });
}

#[test]
fn shutdown_ends_streams_of_all_protocols() {
    block_on(async {
        let (model, release) = SlowModel::new();
        let mut options = Options::default();
        options.patience = Duration::ZERO;
        let mut server = TestServer::with(model, options, |agent| {
            agent.with_tool(Save::default()).unwrap().with_approver(ParkAll)
        })
        .await;
        let input = r#"{"input":"Go.","conversation":"c1","stream":true}"#;
        let mut response = server.open("POST", "/v1/responses", input).await;
        release.send("§respond: One".to_owned()).await.unwrap();
        while response.next_data().await.unwrap()["type"] != "response.output_text.delta" {}
        let ag_ui = r#"{"threadId":"c1","runId":"r","messages":[]}"#;
        let mut readers = vec![
            server.open("POST", "/ag-ui", ag_ui).await,
            server.open("GET", "/api/chat/c1/stream", "").await,
            server.open("GET", "/v1/responses/resp_0_c1?stream=true", "").await,
            response,
        ];
        server.stop.cancel();
        for reader in &mut readers {
            let mut last = Vec::new();
            while let Some(data) = reader.next_data().await {
                last.push(data);
            }
            let last: Vec<_> = last.iter().rev().take(2).map(ToString::to_string).collect();
            assert!(last.join(" ").contains("about to stop"), "{last:?}");
        }
        (&mut server.served).await.unwrap();
        let head = server.store.head("c1").await.unwrap();
        let last = server.store.read("c1", head..=head).await.unwrap();
        assert_eq!(last[0].event.type_name(), "cancelled");
    });
}

#[test]
fn missing_or_cut_body_is_reported() {
    block_on(async {
        let (model, _release) = SlowModel::new();
        let mut options = Options::default();
        options.body_time = Duration::from_millis(50);
        let server = TestServer::with(model, options, |agent| agent).await;
        let head = format!(
            "POST /conversations/c1/runs HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {}\r\n",
            server.token
        );
        for (rest, status) in [
            ("content-length: 20\r\n\r\n{\"prompt\":", "408"),
            ("transfer-encoding: chunked\r\n\r\n5\r\n{\"pro", "408"),
            ("transfer-encoding: chunked\r\n\r\nzz\r\n", "400"),
        ] {
            let mut socket = TcpStream::connect(server.address).await.unwrap();
            socket.write_all(format!("{head}{rest}").as_bytes()).await.unwrap();
            let mut text = String::new();
            let _ = socket.read_to_string(&mut text).await;
            assert!(text.starts_with(&format!("HTTP/1.1 {status} ")), "{rest:?}: {text}");
        }
        assert_eq!(server.store.head("c1").await.unwrap(), 0);
    });
}

/// A chunked body has no length, and is not read beyond the limit.
#[test]
fn an_endless_body_is_not_read() {
    block_on(async {
        let (model, _release) = SlowModel::new();
        let server = TestServer::new(model).await;
        let mut socket = TcpStream::connect(server.address).await.unwrap();
        let head = format!(
            "POST /ag-ui HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {}\r\n\
             transfer-encoding: chunked\r\n\r\n",
            server.token
        );
        socket.write_all(head.as_bytes()).await.unwrap();
        let (mut read, mut write) = socket.into_split();
        let writes = tokio::spawn(async move {
            let chunk = format!("10000\r\n{}\r\n", "x".repeat(1 << 16));
            let mut sent = 0_usize;
            while write.write_all(chunk.as_bytes()).await.is_ok() {
                sent += chunk.len();
            }
            sent
        });
        let mut text = Vec::new();
        let _ = read.read_to_end(&mut text).await;
        let text = String::from_utf8_lossy(&text);
        assert!(text.starts_with("HTTP/1.1 413 "), "{text}");
        drop(read);
        // The buffers of the system take more than the server reads.
        assert!(writes.await.unwrap() < 64 << 20);
    });
}

#[test]
fn never_reading_client_is_disconnected() {
    block_on(async {
        let (model, release) = SlowModel::new();
        let mut options = Options::default();
        options.unread_time = Duration::from_millis(100);
        options.connections = 2;
        let server = TestServer::with(model, options, |agent| agent).await;
        let run = server.server.start(silcrow_server::RunPlace::new("c1"), "Go.").await.unwrap();
        let socket = TcpSocket::new_v4().unwrap();
        socket.set_recv_buffer_size(4 << 10).unwrap();
        let mut unread = socket.connect(server.address).await.unwrap();
        let head = format!(
            "GET /conversations/c1/events HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {}\r\n\r\n",
            server.token
        );
        unread.write_all(head.as_bytes()).await.unwrap();
        let mut watcher = server.events("/conversations/c1/events", None).await;
        watcher.until("user").await;
        // Both places are taken.
        assert_eq!(server.send("GET", "/health", "").await.status, 503);
        release.send("§respond: ".to_owned()).await.unwrap();
        for _ in 0..350 {
            release.send("word ".repeat(4_000)).await.unwrap();
            watcher.next().await.unwrap();
        }
        // The place is free again, although the client has not left.
        while server.send("GET", "/health", "").await.status != 200 {}
        run.stop();
        watcher.until("idle").await;
        let mut rest = Vec::new();
        // Text that was sent before can still be read; then the connection is gone.
        let _ = unread.read_to_end(&mut rest).await;
        assert!(rest.len() < 350 * 20_000, "{}", rest.len());
    });
}

#[test]
fn two_thousand_connections_are_served() {
    block_on(async {
        let (model, _release) = SlowModel::new();
        let server = TestServer::new(model).await;
        let limit = server.server.options().connections;
        assert_eq!(limit, 2_048);
        let head = format!(
            "GET /events HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {}\r\n\r\n",
            server.token
        );
        let mut open = Vec::new();
        for _ in 0..limit {
            let mut socket = TcpStream::connect(server.address).await.unwrap();
            socket.write_all(head.as_bytes()).await.unwrap();
            let mut status = [0; 12];
            socket.read_exact(&mut status).await.unwrap();
            assert_eq!(&status, b"HTTP/1.1 200");
            open.push(socket);
        }
        for _ in 0..100 {
            let reply = server.send("GET", "/health", "").await;
            assert_eq!((reply.status, &*reply.code()), (503, "unavailable"));
            assert!(reply.head.contains("retry-after: 1"), "{}", reply.head);
        }
        open.truncate(limit / 2);
        while server.send("GET", "/health", "").await.status != 200 {}
    });
}
