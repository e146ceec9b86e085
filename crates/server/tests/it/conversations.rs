//! Conversations that are forked, deleted and hidden.

use silcrow_event::Event;
use silcrow_provider::ScriptedModel;
use silcrow_store::Store as _;

use crate::support::{TestServer, block_on};

const SCRIPT: &str = "§respond: One.\n§end\n%%\n§respond: Two.\n§end\n%%\n§respond: Three.\n§end";

async fn talked() -> TestServer {
    let server = TestServer::new(ScriptedModel::parse(SCRIPT, 1)).await;
    for prompt in ["First.", "Second."] {
        server.start("c1", prompt).await;
        server.server.run(&silcrow_server::RunPlace::new("c1")).await.unwrap().unwrap();
        let mut reader = server.events("/conversations/c1/events", None).await;
        reader.until("idle").await;
    }
    server
}

#[test]
fn fork_has_history_up_to_its_event() {
    block_on(async {
        let server = talked().await;
        let reply = server.send("POST", "/conversations/c1/fork", r#"{"seq":2}"#).await;
        assert_eq!(reply.status, 201, "{reply:?}");
        let id = reply.json()["conversation"].as_str().unwrap().to_owned();
        let fork = server.send("GET", &format!("/conversations/{id}"), "").await.json();
        let events = fork["events"].as_array().unwrap();
        assert_eq!((events.len(), &events[1]["content"]), (2, &"One.".into()));
        server.start(&id, "Third.").await;

        let named = r#"{"id":"copy"}"#;
        assert_eq!(server.send("POST", "/conversations/c1/fork", named).await.status, 201);
        assert_eq!(server.send("POST", "/conversations/c1/fork", named).await.code(), "stale");
        let beyond = server.send("POST", "/conversations/c1/fork", r#"{"seq":99}"#).await;
        assert_eq!((beyond.status, &*beyond.code()), (400, "malformed"));
    });
}

#[test]
fn deletion_includes_inner_conversations() {
    block_on(async {
        let server = talked().await;
        server.store.append("c1/1/a1", 0, vec![Event::user("inner").into()]).await.unwrap();
        let mut all = server.events("/events", None).await;
        let listed = server.send("GET", "/conversations", "").await.json();
        assert_eq!(listed["conversations"].as_array().unwrap().len(), 1, "{listed}");
        let found = server.send("GET", "/conversations?q=inner", "").await;
        assert_eq!(found.body, r#"{"hits":[]}"#);
        assert_eq!(server.send("GET", "/conversations/c1%2F1%2Fa1", "").await.status, 400);

        assert_eq!(server.send("DELETE", "/conversations/c1", "").await.status, 204);
        assert_eq!(all.next().await.unwrap().data["event"]["type"], "deleted");
        assert_eq!(server.send("GET", "/conversations/c1", "").await.code(), "not_found");
        assert_eq!(server.store.list(None).await.unwrap(), []);
        // The id can be used again.
        server.start("c1", "Again.").await;
        let mut reader = server.events("/conversations/c1/events", None).await;
        assert_eq!(reader.until("idle").await[0].data["content"], "Again.");
    });
}

#[test]
fn missing_undo_or_dialect_is_reported() {
    block_on(async {
        let server = talked().await;
        let reply = server.send("GET", "/conversations/c1/wire?turn=1", "").await;
        assert_eq!((reply.status, &*reply.code()), (501, "not_offered"));
        let reply = server.send("GET", "/conversations/c1/wire", "").await;
        assert_eq!((reply.status, &*reply.code()), (400, "malformed"));
        let reply = server.send("POST", "/conversations/c1/undo", "").await;
        assert_eq!((reply.status, &*reply.code()), (501, "not_offered"));
    });
}

#[test]
fn a_conversation_gets_a_name() {
    block_on(async {
        let server = TestServer::new(ScriptedModel::parse("§respond: One.\n§end", 1)).await;
        server.start("c1", "1?").await;
        server.events("/conversations/c1/events", None).await.until("idle").await;
        let body = "{\"title\":\"  The \\n first \"}";
        assert_eq!(server.send("POST", "/conversations/c1/title", body).await.status, 204);
        let list = server.send("GET", "/conversations", "").await.json();
        assert_eq!(list["conversations"][0]["title"], "The first");
        for (path, body, status) in [
            ("/conversations/c1/title", "{\"title\":\" \"}", 400),
            ("/conversations/c2/title", "{\"title\":\"x\"}", 404),
        ] {
            assert_eq!(server.send("POST", path, body).await.status, status, "{path}");
        }
        assert_eq!(server.send("GET", "/about", "").await.body, "{}");
    });
}
