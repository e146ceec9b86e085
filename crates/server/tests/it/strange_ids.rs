//! Ids that no server would choose, at every address that takes one.

use silcrow_provider::ScriptedModel;
use silcrow_store::Store as _;

use crate::support::{TestServer, block_on};

/// Ids as they are, and how an address has them.
const IDS: [(&str, &str); 12] = [
    ("a b", "a%20b"),
    ("..", "%2e%2e"),
    (".", "%2E"),
    ("ä€😀", "%C3%A4%E2%82%AC%F0%9F%98%80"),
    ("?q=1&x#y", "%3Fq%3D1%26x%23y"),
    ("%2F", "%252F"),
    ("\\..\\..", "%5C..%5C.."),
    ("\"},{\"", "%22%7D%2C%7B%22"),
    ("<img src=x onerror=alert(1)>", "%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E"),
    ("data: x", "data%3A%20x"),
    ("resp_1_x", "resp_1_x"),
    ("\u{202e}abc\u{feff}", "%E2%80%AEabc%EF%BB%BF"),
];

#[test]
fn conversation_ids_may_contain_anything_but_slashes() {
    block_on(async {
        let script = "§respond: One.\n§end\n%%\n".repeat(40);
        let server = TestServer::new(ScriptedModel::parse(&script, 1)).await;
        for (id, escaped) in IDS {
            let base = format!("/conversations/{escaped}");
            let begun = server.send("POST", &format!("{base}/runs"), r#"{"prompt":"Go."}"#).await;
            assert_eq!(begun.status, 201, "{id:?}: {begun:?}");
            assert_eq!(begun.json()["conversation"], id);
            let mut reader = server.events(&format!("{base}/events"), None).await;
            let read = reader.until("idle").await;
            assert_eq!(read.last().unwrap().data["outcome"], "answered", "{id:?}");
            let mut all = server.events("/events", None).await;
            let log = server.send("GET", &base, "").await.json();
            assert_eq!(log["conversation"]["id"], id);
            let listed = server.send("GET", "/conversations", "").await.json();
            assert_eq!(listed["conversations"][0]["id"], id);
            let stored = server.send("GET", &format!("/api/chat/{escaped}"), "").await.json();
            assert_eq!(stored.as_array().unwrap().len(), 2, "{id:?}: {stored}");
            let response = server.send("GET", &format!("/v1/responses/resp_0_{escaped}"), "").await;
            assert_eq!(response.json()["id"], format!("resp_0_{id}"), "{response:?}");
            let fork = serde_json::json!({ "id": format!("{id}2") }).to_string();
            let forked = server.send("POST", &format!("{base}/fork"), &fork).await;
            assert_eq!(forked.json()["conversation"], format!("{id}2"), "{forked:?}");
            assert_eq!(server.send("DELETE", &base, "").await.status, 204, "{id:?}");
            while all.next().await.unwrap().data["event"]["type"] != "deleted" {}
            assert_eq!(server.store.head(id).await.unwrap(), 0);
        }
    });
}

#[test]
fn invalid_id_is_refused_everywhere() {
    block_on(async {
        let server = TestServer::new(ScriptedModel::parse("§respond: One.\n§end", 1)).await;
        let long = "x".repeat(257);
        // Too long, with a slash, not UTF-8, half a character, and with control characters.
        let strange =
            ["a%2Fb", "%2F", "%2e%2e%2F%2e%2e%2Fetc", "%ff", "%C3", "%00", "a%0d%0ax:%20y"];
        for id in strange.into_iter().chain([&*long]) {
            for (method, path, body) in [
                ("GET", "/conversations/ID", ""),
                ("DELETE", "/conversations/ID", ""),
                ("GET", "/conversations/ID/events", ""),
                ("GET", "/conversations/ID/questions", ""),
                ("POST", "/conversations/ID/runs", r#"{"prompt":"x"}"#),
                ("POST", "/conversations/ID/fork", "{}"),
                ("POST", "/conversations/ID/undo", ""),
                ("POST", "/conversations/ID/answers", r#"{"answers":[]}"#),
                ("GET", "/api/chat/ID", ""),
            ] {
                let reply = server.send(method, &path.replace("ID", id), body).await;
                assert_eq!(
                    (reply.status, &*reply.code()),
                    (400, "malformed"),
                    "{method} {path} {id}"
                );
            }
            for (path, code) in [("/conversations/ID/stop", 409), ("/api/chat/ID/stop", 409)] {
                let reply = server.send("POST", &path.replace("ID", id), "").await;
                assert!([400, code].contains(&reply.status), "{path} {id}: {reply:?}");
            }
            let resumed = server.send("GET", &format!("/api/chat/{id}/stream"), "").await;
            assert!([400, 204].contains(&resumed.status), "{id}: {resumed:?}");
            let reply = server.send("GET", &format!("/v1/responses/resp_0_{id}"), "").await;
            assert!([400, 404].contains(&reply.status), "{id}: {reply:?}");
        }
        // The same in a body, where nothing is escaped.
        for id in ["", &*long, "a/b", "\0", "a\n"] {
            let user = serde_json::json!({ "id": "m", "role": "user", "content": "x" });
            for (path, body) in [
                ("/ag-ui", serde_json::json!({ "threadId": id, "runId": "r", "messages": [user] })),
                ("/v1/responses", serde_json::json!({ "input": "x", "conversation": id })),
                (
                    "/api/chat",
                    serde_json::json!({
                        "id": id, "message": { "id": "m", "role": "user", "parts": [{ "type": "text", "text": "x" }] },
                    }),
                ),
            ] {
                let reply = server.send("POST", path, &body.to_string()).await;
                assert_eq!(reply.status, 400, "{path} {id}: {reply:?}");
            }
        }
        for id in [
            "resp_",
            "resp_0",
            "resp_x_c",
            "resp_-1_c",
            "resp_18446744073709551616_c",
            "x",
            "resp_0_c",
        ] {
            let reply = server.send("GET", &format!("/v1/responses/{id}"), "").await;
            assert_eq!(reply.status, 404, "{id}: {reply:?}");
        }
    });
}

#[test]
fn unknown_positions_are_refused_or_beyond() {
    block_on(async {
        let server = TestServer::new(ScriptedModel::parse("§respond: One.\n§end", 1)).await;
        server.start("c1", "Go.").await;
        server.events("/conversations/c1/events", None).await.until("idle").await;
        for after in ["x", "-1", "1.x", "1.-1", "18446744073709551616", ".", "1.2.3", "%00"] {
            let reply =
                server.send("GET", &format!("/conversations/c1/events?after={after}"), "").await;
            assert_eq!((reply.status, &*reply.code()), (400, "malformed"), "{after}");
        }
        // A position of the future is one of a log that was longer once.
        for after in ["99.0", "1.99", "18446744073709551615.18446744073709551615"] {
            let mut reader = server.events("/conversations/c1/events", Some(after)).await;
            let message = reader.next().await.unwrap();
            assert!(
                message.event.is_some() || message.data["type"] == "idle",
                "{after}: {message:?}"
            );
        }
    });
}
