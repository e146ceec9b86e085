//! Declared workflows as separate tools.

use serde_json::json;

use crate::support::{Host, structured};

#[tokio::test]
async fn workflow_is_a_run_with_approvals() {
    let host = Host::new("");
    let mut client = host.connect();
    client.initialize(json!({"elicitation": {}})).await;
    let params = json!({"name": "digest", "arguments": {"text": "§end </action> $x"}});
    let id = client.begin("tools/call", params).await;
    let asked = client.next().await;
    assert_eq!(asked["method"], "elicitation/create", "{asked}");
    let answer = json!({"action": "accept", "content": {"decision": "once"}});
    client.send(&json!({"jsonrpc": "2.0", "id": asked["id"], "result": answer})).await;
    let answer = client.answer(id).await;
    assert_eq!(structured(&answer)["outcome"], "answered", "{answer}");
    let text = structured(&answer)["answer"].as_str().unwrap();
    assert!(text.contains("§end </action> $x"), "{text}");
    assert_eq!(host.written(), 1);
    assert_eq!(structured(&answer)["conversation"], json!(host.conversation().await));
}

#[tokio::test]
async fn workflow_failure_is_a_client_error() {
    let host = Host::new("");
    let mut client = host.connect();
    client.initialize(json!({})).await;
    let answer = client.request("tools/call", json!({"name": "broken", "arguments": {}})).await;
    assert_eq!(answer["result"]["isError"], json!(true), "{answer}");
    let text = answer["result"]["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("it is broken"), "{text}");
}
