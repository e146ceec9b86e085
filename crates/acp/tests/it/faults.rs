//! Clients that send wrong messages.

use std::io::ErrorKind;
use std::sync::Arc;

use proptest::prelude::*;
use serde_json::{Value, json};
use silcrow_event::Event;
use silcrow_parser::Dialect;
use silcrow_store::Store as _;
use tokio::runtime::Builder;

use crate::client::TestClient;
use crate::host::ScriptedHost;

#[tokio::test]
async fn invalid_request_error_names_the_problem() {
    let mut client =
        TestClient::connect(ScriptedHost::new(Dialect::Sigil, "§respond: Hi.\n§end")).await;
    let cases = [
        ("session/fly", json!({}), "unknown method `session/fly`"),
        ("session/new", json!({"mcpServers": []}), "`cwd` is missing"),
        ("session/new", json!({"cwd": "work", "mcpServers": []}), "not an absolute path"),
        ("session/prompt", json!({"sessionId": "s9", "prompt": []}), "the prompt is empty"),
        ("session/new", json!({"cwd": "/", "mcpServers": {}}), "`mcpServers` is not an array"),
        (
            "session/new",
            json!({"cwd": "/", "mcpServers": [{"name": "a", "type": "sse", "url": "x"}]}),
            "the MCP server `a` is of the type `sse`; only stdio and http can be used",
        ),
        (
            "session/new",
            json!({"cwd": "/", "mcpServers": [{"name": "a", "command": "a", "env": [{"name": "B"}]}]}),
            "the MCP server `a` lacks the string `value`",
        ),
        (
            "session/prompt",
            json!({"sessionId": "s9", "prompt": [{"type": "text", "text": "Hi."}]}),
            "unknown session `s9`",
        ),
        (
            "session/load",
            json!({"sessionId": "s9", "cwd": "/", "mcpServers": []}),
            "unknown session `s9`",
        ),
    ];
    for (method, params, expected) in cases {
        let why = client.error(method, params).await;
        assert!(why.contains(expected), "{method}: {why}");
    }
    client.line("{").await;
    assert_eq!(client.next().await["error"]["code"], -32700);
    client.line("").await;
    client.line(r#"{"jsonrpc":"2.0","id":99,"result":{}}"#).await;
    let session = client.open().await;
    assert_eq!(session, "s1");
    client.leave().await.unwrap();
}

#[tokio::test]
async fn overlong_message_fails_and_the_next_works() {
    let mut client = TestClient::connect(ScriptedHost::new(Dialect::Sigil, "")).await;
    let piece = vec![b'x'; 1 << 20];
    for _ in 0..17 {
        client.part(&piece).await;
    }
    client.part(b"\n").await;
    let answer = client.next().await;
    let why = answer["error"]["message"].as_str().unwrap();
    assert_eq!((&answer["id"], &answer["error"]["code"]), (&Value::Null, &json!(-32600)));
    assert!(why.contains("may have 16777216 bytes"), "{why}");
    client.open().await;
    // The end of the input ends the last line, however long it is.
    for _ in 0..17 {
        client.part(&piece).await;
    }
    client.leave().await.unwrap();
}

#[tokio::test]
async fn initialize_must_come_first() {
    let mut client = TestClient::new(ScriptedHost::new(Dialect::Sigil, "§respond: Hi.\n§end"));
    client.notify("session/cancel", json!({"sessionId": "s1"})).await;
    for method in ["session/new", "session/list", "session/prompt", "_session/steering", "x"] {
        let why = client.error(method, json!({"cwd": "/work", "mcpServers": []})).await;
        assert_eq!(why, format!("`{method}` comes before initialize; send that first"));
    }
    client.call("initialize", json!({"protocolVersion": 1})).await;
    assert_eq!(client.open().await, "s1");
    client.leave().await.unwrap();
}

#[tokio::test]
async fn garbage_is_answered_and_does_no_harm() {
    let mut client = TestClient::connect(ScriptedHost::new(Dialect::Sigil, "")).await;
    let deep = [b"[".repeat(100_000), b"]".repeat(100_000)].concat();
    let lines: [(&[u8], i64); 9] = [
        (b"\xff\xfe\x00", -32700),
        (b"\"", -32700),
        (&deep, -32700),
        (b"[]", -32600),
        (b"7", -32600),
        (b"{}", -32600),
        (br#"{"id":1}"#, -32600),
        (br#"{"method":7,"id":1}"#, -32600),
        (br#"[{"jsonrpc":"2.0","id":1,"method":"session/list"}]"#, -32600),
    ];
    for (line, code) in lines {
        client.part(line).await;
        client.part(b"\n").await;
        assert_eq!(client.next().await["error"]["code"], code);
    }
    // Answers to unknown requests and cancellations of unknown requests get no answer.
    client.line(r#"{"jsonrpc":"2.0","id":5,"error":{"code":1}}"#).await;
    client.line(r#"{"jsonrpc":"2.0","id":"x","result":null}"#).await;
    for id in [json!("s9"), json!(null), json!(7)] {
        client.notify("session/cancel", json!({"sessionId": id})).await;
        client.notify("$/cancel_request", json!({"requestId": id})).await;
    }
    client.notify("x", json!([])).await;
    let session = client.open().await;
    client.notify("session/cancel", json!({"sessionId": session})).await;
    client.leave().await.unwrap();
}

#[tokio::test]
async fn stalled_client_ends_its_runs() {
    let script = "§call: {\"name\": \"wait\", \"args\": {}}\n§execute";
    let mut client = TestClient::connect(ScriptedHost::new(Dialect::Sigil, script)).await;
    let session = client.open().await;
    client.prompt(&session, "Wait.").await;
    while client.next().await["params"]["update"]["status"] != "in_progress" {}
    let host = Arc::clone(&client.host);
    // A message that has an answer shows the server that the client is gone.
    client.request("session/list", json!({})).await;
    let ended = client.stop_reading().await;
    assert_eq!(ended.unwrap_err().kind(), ErrorKind::BrokenPipe);
    let log = host.store.read(&session, 1..=u64::MAX).await.unwrap();
    assert!(matches!(log.last().unwrap().event, Event::Cancelled { .. }), "{log:?}");
}

/// Any value for any method is answered once, with a result or an error, and breaks nothing.
#[test]
fn every_request_is_answered_once() {
    let methods = [
        "initialize",
        "authenticate",
        "session/new",
        "session/load",
        "session/resume",
        "session/list",
        "session/close",
        "session/delete",
        "session/prompt",
        "session/set_mode",
        "session/set_config_option",
        "_session/steering",
        "x",
    ];
    let value = prop_oneof![
        Just(json!("s1")),
        Just(json!("/work")),
        Just(json!([])),
        Just(Value::Null),
        Just(json!(7)),
        Just(json!([{"type": "text", "text": "Hi."}])),
        Just(json!([{"type": "resource"}])),
        Just(json!("effort")),
        Just(json!("full")),
    ];
    let keys =
        ["sessionId", "cwd", "prompt", "modeId", "configId", "value", "cursor", "mcpServers"];
    let params = prop::collection::btree_map(prop::sample::select(keys.to_vec()), value, 0..6);
    let requests = prop::collection::vec((prop::sample::select(methods.to_vec()), params), 1..12);
    let config = ProptestConfig { failure_persistence: None, cases: 64, ..Default::default() };
    proptest!(config, |(requests in requests)| {
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let script = "§respond: Hi.\n§end\n%%\n".repeat(12) + "§end";
            let mut client = TestClient::connect(ScriptedHost::new(Dialect::Sigil, &script)).await;
            client.open().await;
            for (method, params) in requests {
                let id = client.request(method, json!(params)).await;
                client.until(id).await;
            }
            client.leave().await.unwrap();
        });
    });
}
