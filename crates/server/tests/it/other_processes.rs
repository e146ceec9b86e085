//! Conversations that other processes work on, in the same store: their changes, the answers that they
//! take, and their runs.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde_json::Value;
use silcrow_agent::{Agent, ParkedRun};
use silcrow_event::Event;
use silcrow_provider::ScriptedModel;
use silcrow_server::{
    AccessToken, AgentSource, Error, ErrorKind, PreparedAgent, RunPlace, Server, ServerUser,
};
use silcrow_store::{MemoryStore, Store as _};
use silcrow_tool::{ApprovalDecision, ApprovalScope};

use crate::questions::waiting;
use crate::support::{EventClient, SlowModel, TestServer, block_on};

/// Stores an event as another process would.
async fn store(server: &TestServer, conversation: &str, event: Event) {
    let head = server.store.head(conversation).await.unwrap();
    server.store.append(conversation, head, vec![event.into()]).await.unwrap();
}

async fn next(reader: &mut EventClient) -> (String, String, Value) {
    let message = reader.next().await.unwrap();
    let [conversation, id] = ["conversation", "id"].map(|name| message.data[name].clone());
    let text = |value: Value| value.as_str().unwrap_or_default().to_owned();
    (text(conversation), text(id), message.data["event"].clone())
}

#[test]
fn stream_has_runs_of_other_processes_once() {
    block_on(async {
        let (model, release) = SlowModel::new();
        let server = TestServer::new(model).await;
        store(&server, "old", Event::user("Before.")).await;
        let mut all = server.events("/events", None).await;
        store(&server, "c1", Event::user("Elsewhere.")).await;
        let (conversation, id, event) = next(&mut all).await;
        assert_eq!((&*conversation, &*id), ("c1", "1.0"), "{event}");
        assert_eq!(event["content"], "Elsewhere.");
        store(&server, "c1", Event::respond("Done.")).await;
        assert_eq!(next(&mut all).await.1, "2.0");

        // Events that a run of this server stores arrive once.
        server.start("c1", "Here.").await;
        release.send("§respond: Yes.\n§end".to_owned()).await.unwrap();
        release.send(String::new()).await.unwrap();
        let mut ids = Vec::new();
        loop {
            let (conversation, id, event) = next(&mut all).await;
            assert_eq!(conversation, "c1");
            ids.push(id);
            if event["type"] == "idle" {
                break;
            }
        }
        store(&server, "old", Event::respond("Later.")).await;
        let last = all.next().await.unwrap();
        assert_eq!((&last.data["conversation"], &last.data["id"]), (&"old".into(), &"2.0".into()));
        let count = ids.len();
        ids.dedup();
        assert_eq!(ids.len(), count, "{ids:?}");

        // A returning reader gets the events that happened without readers.
        drop(all);
        store(&server, "c2", Event::user("Meanwhile.")).await;
        let mut again = server.events("/events", Some(&last.id)).await;
        assert_eq!(next(&mut again).await.0, "c2");
        server.store.delete("c2", 1).await.unwrap();
        let (conversation, _, event) = next(&mut again).await;
        assert_eq!((&*conversation, &event["type"]), ("c2", &"deleted".into()));
    });
}

#[test]
fn answers_elsewhere_continue_a_waiting_run() {
    block_on(async {
        let server = waiting().await;
        let mut reader = server.events("/conversations/c1/events", None).await;
        reader.until("idle").await;
        let mut parked = ParkedRun::read(&*server.store, "c1", None).await.unwrap();
        let allowed = ApprovalDecision::Allow(ApprovalScope::Once);
        let first = parked.questions()[0].answer(allowed.clone());
        parked.answer(&[first]).await.unwrap();
        let second = parked.questions()[1].answer(allowed);
        parked.answer(&[second]).await.unwrap();
        let read = reader.until("idle").await;
        assert_eq!(read.last().unwrap().data["outcome"], "answered", "{read:?}");
        let types: Vec<_> = read.iter().map(|message| message.data["type"].clone()).collect();
        assert_eq!(types.iter().filter(|kind| *kind == "result").count(), 2, "{types:?}");
        // The answers are used up.
        let reply = server.send("GET", "/conversations/c1/questions", "").await;
        assert_eq!(reply.body, r#"{"questions":[]}"#);
    });
}

#[test]
fn continued_waiting_conversation_is_left_alone() {
    block_on(async {
        let server = waiting().await;
        let mut reader = server.events("/conversations/c1/events", None).await;
        reader.until("idle").await;
        let mut stale = ParkedRun::read(&*server.store, "c1", None).await.unwrap();
        let second = stale.questions()[1].answer(ApprovalDecision::Deny("no".to_owned()));
        server.start("c1", "Never mind.").await;
        let read = reader.until("idle").await;
        assert_eq!(read.last().unwrap().data["outcome"], "answered", "{read:?}");
        assert!(stale.answer(&[second]).await.is_err());
        assert_eq!(server.send("DELETE", "/conversations/c1", "").await.status, 204);
    });
}

/// A source whose conversations another process runs, while the flag is set.
struct ElsewhereSource {
    store: Arc<MemoryStore>,
    is_taken: Arc<AtomicBool>,
}

impl AgentSource for ElsewhereSource {
    fn agent<'a>(&'a self, place: &'a RunPlace) -> BoxFuture<'a, Result<PreparedAgent, Error>> {
        async {
            if let Some(other) = self.elsewhere(place) {
                return Err(Error::new(ErrorKind::Busy, other));
            }
            let model = ScriptedModel::parse("§respond: Here.\n§end", 1);
            Ok(Agent::new(model, Arc::clone(&self.store)).into())
        }
        .boxed()
    }

    fn elsewhere(&self, _: &RunPlace) -> Option<String> {
        self.is_taken.load(Ordering::SeqCst).then(|| "process 7 at /dev/pts/1".to_owned())
    }
}

#[test]
fn run_elsewhere_is_steered_not_stopped() {
    block_on(async {
        let store = Arc::new(MemoryStore::new());
        let is_taken = Arc::new(AtomicBool::new(true));
        let source = ElsewhereSource { store: Arc::clone(&store), is_taken: Arc::clone(&is_taken) };
        let token = AccessToken::random().unwrap();
        let server = Server::new(Arc::clone(&store), source)
            .with_token(token.clone(), ServerUser::default());
        let server = TestServer::serve(server, store, token.reveal()).await;
        self::store(&server, "c1", Event::user("Count.")).await;

        let listed = server.send("GET", "/conversations", "").await.json();
        assert_eq!(listed["conversations"][0]["elsewhere"], "process 7 at /dev/pts/1");
        let prompt = r#"{"prompt":"And more."}"#;
        let busy = server.send("POST", "/conversations/c1/runs", prompt).await;
        assert_eq!((busy.status, &*busy.code()), (409, "busy"));
        let steered = server.send("POST", "/conversations/c1/runs?steer=1", prompt).await;
        assert_eq!((steered.status, &steered.json()["run"]), (202, &Value::Null), "{steered:?}");
        let steered =
            server.send("POST", "/conversations/c1/steer", r#"{"message":"Stop at 9."}"#).await;
        assert_eq!(steered.status, 202, "{steered:?}");
        let log = server.send("GET", "/conversations/c1", "").await.json();
        for (at, text) in [(1, "And more."), (2, "Stop at 9.")] {
            let event = &log["events"][at];
            assert_eq!((&event["content"], &event["steer"]), (&text.into(), &true.into()));
        }
        for body in [r#"{"message":" "}"#, r#"{"message":"x","drop_calls":true}"#] {
            let refused = server.send("POST", "/conversations/c1/steer", body).await;
            assert_eq!((refused.status, &*refused.code()), (409, "stale"), "{body}");
        }
        for path in ["/conversations/c1/stop", "/api/chat/c1/stop"] {
            let refused = server.send("POST", path, "").await;
            assert_eq!((refused.status, &*refused.code()), (409, "busy"), "{path}");
            assert!(refused.body.contains("process 7 at /dev/pts/1"), "{}", refused.body);
        }

        is_taken.store(false, Ordering::SeqCst);
        let refused = server.send("POST", "/conversations/c1/stop", "").await;
        assert_eq!(&*refused.code(), "stale");
        server.start("c1", "Now here.").await;
    });
}
