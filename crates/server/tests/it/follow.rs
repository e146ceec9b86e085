//! Readers that come, go and come again at every position.

use std::time::Duration;

use futures_util::StreamExt as _;
use proptest::prelude::*;
use silcrow_front::NativeEncoder;
use silcrow_server::Options;
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpSocket;

use crate::support::{EventClient, ServerEvent, SlowModel, TestServer, block_on};

/// The pieces of two answers. The first one calls a tool that does not exist.
const ANSWERS: [&[&str]; 2] = [
    &["§think: a lo", "ng tho", "ught\n", "§call: {\"name\":", "\"none\"}\n", "§execute\n", ""],
    &["§think: mo", "re\n§resp", "ond: Sev", "eral wo", "rds of an", " answer.\n§end", ""],
];

fn pieces() -> Vec<String> {
    ANSWERS.iter().flat_map(|answer| answer.iter().map(|piece| (*piece).to_owned())).collect()
}

/// Returns the pieces, and those with which the run ends.
fn split() -> (Vec<String>, Vec<String>) {
    let mut pieces = pieces();
    let late = pieces.split_off(pieces.len() - 2);
    (pieces, late)
}

/// The contents of a page: whole events, and the pieces since then.
#[derive(Debug, Default, PartialEq)]
struct Page {
    stored: Vec<serde_json::Value>,
    pieces: String,
    is_idle: bool,
}

impl Page {
    fn apply(&mut self, message: &ServerEvent) {
        let (data, kind) = (&message.data, message.data["type"].as_str().unwrap());
        if message.event.as_deref() == Some("reset") {
            self.pieces.clear();
            return;
        }
        let is_piece = data.get("part").is_some();
        let is_stored = message.id.ends_with(".0");
        if kind == "idle" {
            self.is_idle = true;
        } else if is_piece {
            self.pieces += data["content"].as_str().unwrap();
        } else if is_stored {
            let seq = self.stored.len() as u64 + 1;
            assert_eq!(data["seq"], seq, "an event is missing or doubled: {data}");
            if matches!(kind, "think" | "respond") && !self.pieces.is_empty() {
                assert_eq!(data["content"], self.pieces, "pieces are missing or doubled");
            }
            self.pieces.clear();
            self.stored.push(data.clone());
        }
    }
}

#[test]
fn reader_continues_after_every_message() {
    block_on(async {
        let (model, release) = SlowModel::new();
        let server = TestServer::new(model).await;
        server.start("c1", "Go.").await;
        let mut first = server.events("/conversations/c1/events", None).await;
        let mut read = first.until("user").await;
        let mut readers = vec![];
        let (early, late) = split();
        for piece in early {
            release.send(piece).await.unwrap();
            if readers.len() < 6 {
                read.push(first.next().await.unwrap());
            }
            let id = read.last().unwrap().id.clone();
            readers.push((read.len(), server.events("/conversations/c1/events", Some(&id)).await));
        }
        for piece in late {
            release.send(piece).await.unwrap();
        }
        read.extend(first.until("idle").await);
        for (known, mut reader) in readers {
            assert_eq!(reader.until("idle").await, read[known..], "after {:?}", read[known - 1]);
        }
        // The same holds for later readers, except for text that was not stored.
        let last_stored = read.iter().rposition(|event| event.id.ends_with(".0")).unwrap();
        for known in last_stored..read.len() - 1 {
            let id = &read[known].id;
            let mut reader = server.events("/conversations/c1/events", Some(id)).await;
            assert_eq!(reader.until("idle").await, read[known + 1..], "after {id}");
        }
    });
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn reconnecting_page_shows_the_log(
        cuts in prop::collection::vec(0..12_usize, 1..6),
        ring in prop_oneof![Just(1_usize << 20), 600..3_000_usize],
    ) {
        block_on(async {
            let (model, release) = SlowModel::new();
            let options = { let mut options = Options::default(); options.ring = ring; options };
            let server = TestServer::with(model, options, |agent| agent).await;
            server.start("c1", "Go.").await;
            let (mut page, mut last) = (Page::default(), None::<String>);
            let mut pieces = pieces().into_iter();
            for cut in cuts {
                let mut reader = server.events("/conversations/c1/events", last.as_deref()).await;
                for piece in pieces.by_ref().take(cut) {
                    release.send(piece).await.unwrap();
                }
                // The text that has arrived by now is read, however long it is.
                let wait = Duration::from_millis(5);
                while let Ok(Some(message)) = tokio::time::timeout(wait, reader.next()).await {
                    page.apply(&message);
                    last = Some(message.id);
                }
            }
            for piece in pieces {
                release.send(piece).await.unwrap();
            }
            let mut reader = server.events("/conversations/c1/events", last.as_deref()).await;
            while !page.is_idle {
                page.apply(&reader.next().await.unwrap());
            }
            let log = server.send("GET", "/conversations/c1", "").await.json();
            assert_eq!(page.stored, *log["events"].as_array().unwrap());
        });
    }
}

#[test]
fn reader_without_chunks_gets_only_events() {
    block_on(async {
        let (model, release) = SlowModel::new();
        let server =
            TestServer::with(model, Options::default(), |agent| agent.with_call_text()).await;
        server.start("c1", "Go.").await;
        let mut all = server.events("/conversations/c1/events", None).await;
        let mut few = server.events("/conversations/c1/events?chunks=false", None).await;
        for piece in pieces() {
            release.send(piece).await.unwrap();
        }
        let (all, few) = (all.until("idle").await, few.until("idle").await);
        let is_chunk = |event: &&ServerEvent| {
            event.data["type"] == "call_text" || !event.data["part"].is_null()
        };
        assert!(all.iter().any(|event| is_chunk(&event)), "{all:?}");
        let events: Vec<_> = all.iter().filter(|event| !is_chunk(event)).cloned().collect();
        assert_eq!(few, events);
        let path = "/conversations/c1/events?chunks=maybe";
        assert_eq!(server.send("GET", path, "").await.status, 400);
    });
}

#[test]
fn late_reader_sees_the_end_with_any_buffer() {
    block_on(async {
        for ring in [0, 1, 500, 900, 1_500] {
            let (model, release) = SlowModel::new();
            let mut options = Options::default();
            options.ring = ring;
            let server = TestServer::with(model, options, |agent| agent).await;
            server.start("c1", "Go.").await;
            let mut reader = server.events("/conversations/c1/events", None).await;
            for piece in pieces() {
                release.send(piece).await.unwrap();
            }
            let read = reader.until("idle").await;
            for message in &read[..read.len() - 1] {
                let path = "/conversations/c1/events";
                let mut late = server.events(path, Some(&message.id)).await;
                let rest = late.until("idle").await;
                assert_eq!(rest.last(), read.last(), "{ring} {}", message.id);
            }
        }
    });
}

#[test]
fn late_encoder_gets_the_whole_run() {
    block_on(async {
        let (model, release) = SlowModel::new();
        let server = TestServer::new(model).await;
        let place = silcrow_server::RunPlace::new("c1");
        let run = server.server.start(place.clone(), "Go.").await.unwrap();
        let mut streams = vec![];
        let (early, late) = split();
        for piece in early {
            let mut stream = run.encode(NativeEncoder::new());
            release.send(piece).await.unwrap();
            // It has begun to read, and the run continues.
            let begin = stream.next().await.unwrap();
            assert!(begin.starts_with("id: 1.0\n"), "{begin}");
            streams.push(stream);
        }
        for piece in late {
            release.send(piece).await.unwrap();
        }
        let mut texts = Vec::new();
        for stream in streams {
            texts.push(stream.collect::<String>().await);
        }
        let whole = run.encode(NativeEncoder::new()).collect::<String>().await;
        for text in &texts {
            assert_eq!(*text, texts[0]);
            assert!(text.ends_with("\"outcome\":\"answered\"}\n\n"));
        }
        // After the end, stored events arrive whole.
        assert!(whole.contains("Several words of an answer."), "{whole}");
        assert!(whole.ends_with("\"outcome\":\"answered\"}\n\n"));
    });
}

#[test]
fn stalled_reader_is_cut_and_run_continues() {
    block_on(async {
        let (model, release) = SlowModel::new();
        let server = TestServer::new(model).await;
        server.start("c1", "Go.").await;
        let socket = TcpSocket::new_v4().unwrap();
        socket.set_recv_buffer_size(4 << 10).unwrap();
        let mut socket = socket.connect(server.address).await.unwrap();
        let head = format!(
            "GET /conversations/c1/events HTTP/1.1\r\nhost: {}\r\nauthorization: Bearer {}\r\n\r\n",
            server.address, server.token
        );
        socket.write_all(head.as_bytes()).await.unwrap();
        let mut slow = EventClient::open(socket).await;
        let user = slow.until("user").await;
        assert_eq!(user[0].id, "1.0");

        let mut watcher = server.events("/conversations/c1/events", None).await;
        watcher.until("user").await;
        release.send("§respond: ".to_owned()).await.unwrap();
        for _ in 0..600 {
            release.send("word ".repeat(4_000)).await.unwrap();
            watcher.next().await.unwrap();
        }
        for piece in ["\n§end", ""] {
            release.send(piece.to_owned()).await.unwrap();
        }
        watcher.until("idle").await;
        let read = slow.rest().await;
        assert!(read.len() < 600, "{}", read.len());
        assert!(read.iter().all(|message| message.data["type"] != "idle"));

        // It may connect again, and forgets the pieces.
        let id = &read.last().unwrap_or(&user[0]).id;
        let mut again = server.events("/conversations/c1/events", Some(id)).await;
        let read = again.until("idle").await;
        assert_eq!(read[0].event.as_deref(), Some("reset"));
        assert!(read.iter().any(|message| message.data["type"] == "respond"));
    });
}
