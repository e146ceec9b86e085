//! Runs: one of a conversation at a time, stopped, steered, and independent of readers.

use std::time::Duration;

use futures_util::StreamExt as _;
use silcrow_agent::Agent;
use silcrow_front::NativeEncoder;
use silcrow_provider::ScriptedModel;
use silcrow_server::{AccessToken, ErrorKind, RunPlace, Server, ServerUser};
use silcrow_store::{MemoryStore, Store as _};
use std::sync::Arc;
use tokio::time::Instant;

use crate::support::{ServerEvent, SlowModel, TestServer, block_on};

#[test]
fn a_run_answers_and_its_conversation_is_listed() {
    block_on(async {
        let server = TestServer::new(ScriptedModel::parse("§respond: Four.\n§end", 1)).await;
        server.start("sums", "2 + 2?").await;
        let mut reader = server.events("/conversations/sums/events", None).await;
        let read = reader.until("idle").await;
        assert_eq!(read.last().unwrap().data["outcome"], "answered");
        assert!(reader.head.contains("x-accel-buffering: no"), "{}", reader.head);

        let listed = server.send("GET", "/conversations", "").await.json();
        assert_eq!(listed["conversations"][0]["id"], "sums");
        assert_eq!(listed["conversations"][0]["title"], "2 + 2?");
        assert_eq!(listed["conversations"][0]["run"], serde_json::Value::Null);
        let found = server.send("GET", "/conversations?q=four", "").await.json();
        assert_eq!(found["hits"][0]["content"], "Four.");
        let part = server.send("GET", "/conversations/sums?after=1", "").await.json();
        assert_eq!(part["events"][0]["content"], "Four.");
    });
}

#[test]
fn a_run_names_the_position_before_its_events() {
    block_on(async {
        let script = "§respond: One.\n§end\n%%\n§respond: Two.\n§end";
        let server = TestServer::new(ScriptedModel::parse(script, 1)).await;
        for (prompt, answer) in [("First.", "One."), ("Second.", "Two.")] {
            let body = format!(r#"{{"prompt":"{prompt}"}}"#);
            let reply = server.send("POST", "/conversations/c1/runs", &body).await;
            assert_eq!(reply.status, 201, "{reply:?}");
            let after = reply.json()["after"].as_str().unwrap().to_owned();
            let path = format!("/conversations/c1/events?after={after}");
            // The run is at work, or over.
            for _ in 0..2 {
                let read = server.events(&path, None).await.until("idle").await;
                assert_eq!(read[0].data["content"], prompt);
                assert_eq!(read[0].data["type"], "user");
                let whole = |event: &&ServerEvent| event.data.get("part").is_none();
                let said = read.iter().filter(whole).filter(|one| one.data["type"] == "respond");
                let said: Vec<_> = said.map(|event| &event.data["content"]).collect();
                assert_eq!(said, [answer]);
            }
        }
    });
}

#[test]
fn second_prompt_waits_or_steers() {
    block_on(async {
        let (model, release) = SlowModel::new();
        let server = TestServer::new(model).await;
        let run = server.start("c1", "Go.").await;
        let reply = server.send("POST", "/conversations/c1/runs", r#"{"prompt":"More."}"#).await;
        assert_eq!((reply.status, &*reply.code()), (409, "busy"));
        assert_eq!(reply.json()["run"], run);

        let path = "/conversations/c1/runs?steer=1";
        let steer = server.send("POST", path, r#"{"prompt":"Use words."}"#);
        let talk = async {
            for piece in ["§respond: 4\n§end", "", "§respond: Four.\n§end", ""] {
                release.send(piece.to_owned()).await.unwrap();
            }
        };
        let (reply, ()) = tokio::join!(steer, talk);
        // The run may have ended before the message came; then a run begins with it.
        assert!(matches!(reply.status, 201 | 202), "{reply:?}");
        let mut reader = server.events("/conversations/c1/events", None).await;
        while reader.next().await.unwrap().data["content"] != "Four." {}
    });
}

#[test]
fn late_readers_see_immediate_failure() {
    block_on(async {
        // No store keeps a name of this length, so the run stores nothing.
        let user = ServerUser { name: Some("x".repeat(300)) };
        let (store, token) = (Arc::new(MemoryStore::new()), AccessToken::random().unwrap());
        let agent = Agent::new(ScriptedModel::parse("", 1), Arc::clone(&store));
        let server = Server::new(Arc::clone(&store), move |_: &RunPlace| agent.clone())
            .with_token(token.clone(), user.clone());
        let server = TestServer::serve(server, store, token.reveal()).await;
        let place = RunPlace::new("c1").with_user(user.name);
        let refused = server.server.start(place.clone(), "Go.").await.unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::Malformed, "{refused}");
        let run = server.server.run(&place).await.unwrap().unwrap();
        let _: String = run.encode(NativeEncoder::new()).collect().await;
        let mut reader = server.events("/conversations/c1/events", None).await;
        let read = reader.until("idle").await;
        assert_eq!(read.last().unwrap().data["outcome"], "failed", "{read:?}");
    });
}

#[test]
fn leaving_reader_does_not_stop_the_run() {
    block_on(async {
        let (model, release) = SlowModel::new();
        let server = TestServer::new(model).await;
        server.start("c1", "Go.").await;
        let mut reader = server.events("/conversations/c1/events", None).await;
        reader.until("user").await;
        drop(reader);
        for piece in ["§respond: Done.", "\n§end", ""] {
            release.send(piece.to_owned()).await.unwrap();
        }
        let mut reader = server.events("/conversations/c1/events", None).await;
        let read = reader.until("idle").await;
        assert!(read.iter().any(|message| message.data["content"] == "Done."), "{read:?}");
    });
}

#[test]
fn run_stops_only_by_its_id() {
    block_on(async {
        let (model, _release) = SlowModel::new();
        let server = TestServer::new(model).await;
        let run = server.start("c1", "Go.").await;
        let mut reader = server.events("/conversations/c1/events", None).await;
        let stop = |body: &str| {
            let body = body.to_owned();
            let server = &server;
            async move { server.send("POST", "/conversations/c1/stop", &body).await }
        };
        let stale = stop(r#"{"run":"another"}"#).await;
        assert_eq!((stale.status, &*stale.code()), (409, "stale"));
        let stopped = stop(&format!(r#"{{"run":"{run}"}}"#)).await;
        assert_eq!(stopped.status, 202, "{stopped:?}");
        let read = reader.until("idle").await;
        assert_eq!(read.last().unwrap().data["outcome"], "stopped");
        assert_eq!(stop("").await.code(), "stale");
    });
}

#[tokio::test(start_paused = true)]
async fn a_stopped_run_is_over_at_once() {
    let (model, _release) = SlowModel::new();
    let store = Arc::new(MemoryStore::new());
    let agent = Agent::new(model, Arc::clone(&store));
    let server = Server::new(Arc::clone(&store), move |_: &RunPlace| agent.clone());
    let run = server.start(RunPlace::new("c1"), "Go.").await.unwrap();
    let mut text = run.encode(NativeEncoder::new());
    assert!(text.next().await.unwrap().contains("Go."));
    let begun = Instant::now();
    run.stop();
    let rest: String = text.collect().await;
    assert!(rest.contains("\"outcome\":\"stopped\""), "{rest}");
    assert!(begun.elapsed() < Duration::from_millis(200));
}

#[test]
fn a_message_steers_the_run() {
    block_on(async {
        let (model, release) = SlowModel::new();
        let server = TestServer::new(model).await;
        let path = "/conversations/c1/steer";
        let none = server.send("POST", path, r#"{"message":"x"}"#).await;
        assert_eq!(none.code(), "stale");
        server.start("c1", "Go.").await;
        let mut reader = server.events("/conversations/c1/events", None).await;
        reader.until("user").await;
        release.send("§respond: 4".to_owned()).await.unwrap();
        reader.until("respond").await;
        let reply = server.send("POST", path, r#"{"message":"Use words."}"#).await;
        assert_eq!(reply.status, 202, "{reply:?}");
        let read = reader.until("user").await;
        assert_eq!(read.last().unwrap().data["content"], "Use words.");
        for piece in ["\n§end", "", "§respond: Four.\n§end", ""] {
            release.send(piece.to_owned()).await.unwrap();
        }
        reader.until("idle").await;
    });
}

#[test]
fn one_stream_has_all_conversations() {
    block_on(async {
        let script = "§respond: One.\n§end\n%%\n§respond: Two.\n§end\n%%\n§respond: Three.\n§end";
        let server = TestServer::new(ScriptedModel::parse(script, 1)).await;
        let mut all = server.events("/events", None).await;
        let mut read = Vec::new();
        for id in ["a", "b"] {
            server.start(id, "Go.").await;
            loop {
                read.push(all.next().await.unwrap());
                if read.last().unwrap().data["event"]["type"] == "idle" {
                    break;
                }
            }
        }
        assert_eq!(read[0].data["conversation"], "a");
        assert_eq!(read[0].data["id"], "1.0");
        assert_eq!(read.last().unwrap().data["conversation"], "b");
        for (known, message) in read.iter().enumerate().take(read.len() - 1) {
            let mut again = server.events("/events", Some(&message.id)).await;
            for expected in &read[known + 1..] {
                assert_eq!(again.next().await.unwrap(), *expected);
            }
        }
        // The server has no messages of this name.
        let mut lost = server.events("/events", Some("0123-7")).await;
        assert_eq!(lost.next().await.unwrap().event.as_deref(), Some("reset"));
        server.start("c", "Go.").await;
        assert_eq!(lost.next().await.unwrap().data["conversation"], "c");
    });
}

#[test]
fn entries_by_other_processes_are_followed() {
    block_on(async {
        let server = TestServer::new(ScriptedModel::parse("§respond: One.\n§end", 1)).await;
        server.start("c1", "Go.").await;
        let mut reader = server.events("/conversations/c1/events", None).await;
        reader.until("idle").await;
        let head = server.store.head("c1").await.unwrap();
        let title = silcrow_event::Event::Title { content: "Named".to_owned() };
        server.store.append("c1", head, vec![title.into()]).await.unwrap();
        let read = reader.until("title").await;
        assert_eq!(read.last().unwrap().id, format!("{}.0", head + 1));
    });
}
