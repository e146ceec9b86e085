//! Clients that send what they should not.

use proptest::prelude::*;
use serde_json::{Value, json};
use silcrow_parser::Dialect;
use tokio::runtime::Builder;

use crate::client::TestClient;
use crate::host::ScriptedHost;

#[tokio::test]
async fn a_wrong_request_gets_an_error_that_names_what_is_wrong() {
    let mut client = TestClient::new(ScriptedHost::new(Dialect::Sigil, "§respond: Hi.\n§end"));
    let cases = [
        ("session/fly", json!({}), "there is no method `session/fly`"),
        ("session/new", json!({"mcpServers": []}), "`cwd` is missing"),
        ("session/new", json!({"cwd": "work", "mcpServers": []}), "not an absolute path"),
        ("session/prompt", json!({"sessionId": "s9", "prompt": []}), "the prompt is empty"),
        (
            "session/prompt",
            json!({"sessionId": "s9", "prompt": [{"type": "text", "text": "Hi."}]}),
            "there is no session `s9`",
        ),
        (
            "session/load",
            json!({"sessionId": "s9", "cwd": "/", "mcpServers": []}),
            "no session `s9`",
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
async fn a_message_without_end_ends_the_connection() {
    let mut client = TestClient::new(ScriptedHost::new(Dialect::Sigil, ""));
    let why = async {
        let mut line = "x".repeat(1 << 20);
        line.push('x');
        for _ in 0..17 {
            client.part(&line).await;
        }
        client.leave().await.unwrap_err()
    };
    assert!(why.await.to_string().contains("more than 16777216 bytes"));
}

/// Any value for any method is answered once, with a result or an error, and breaks nothing.
#[test]
fn each_request_is_answered_once() {
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
            let mut client = TestClient::new(ScriptedHost::new(Dialect::Sigil, &script));
            client.open().await;
            for (method, params) in requests {
                let id = client.request(method, json!(params)).await;
                client.until(id).await;
            }
            client.leave().await.unwrap();
        });
    });
}
