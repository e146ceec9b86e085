//! A prompt from its request to its answer.

use serde_json::{Value, json};
use silcrow_event::Event;
use silcrow_parser::Dialect;
use silcrow_store::Store as _;

use crate::client::{TestClient, updates};
use crate::host::ScriptedHost;

/// Returns the texts of one kind of chunk, joined.
fn text(updates: &[Value], kind: &str) -> String {
    let chunks = updates.iter().filter(|update| update["sessionUpdate"] == kind);
    chunks.map(|update| update["content"]["text"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn prompt_streams_thoughts_and_answer() {
    let script = "§think: Easy.\n§respond: It is 4.\n§end";
    let mut client = TestClient::connect(ScriptedHost::new(Dialect::Sigil, script)).await;
    let offered = client.call("initialize", json!({"protocolVersion": 2})).await;
    assert_eq!(offered["protocolVersion"], 1);
    let session = client.open().await;
    let prompt = client.prompt(&session, "What is 2 + 2?").await;
    let (messages, answer) = client.until(prompt).await;
    let updates = updates(&messages);
    assert_eq!(text(&updates, "agent_thought_chunk").trim_end(), "Easy.");
    assert_eq!(text(&updates, "agent_message_chunk").trim_end(), "It is 4.");
    assert_eq!(answer["result"], json!({"stopReason": "end_turn"}));
    client.leave().await.unwrap();
}

#[tokio::test]
async fn cancelled_prompt_reports_it_and_next_runs() {
    let script = r#"§call: {"name": "wait", "args": {}}
§execute
%%
§respond: Here again.
§end"#;
    let mut client = TestClient::connect(ScriptedHost::new(Dialect::Sigil, script)).await;
    let session = client.open().await;
    let prompt = client.prompt(&session, "Wait.").await;
    loop {
        let update = client.next().await["params"]["update"].take();
        if update["content"][0]["content"]["text"] == "waiting\n" {
            break;
        }
    }
    let other = client.prompt(&session, "Hurry.").await;
    let (_, answer) = client.until(other).await;
    assert!(answer["error"]["message"].as_str().unwrap().contains("is at work"), "{answer}");
    client.notify("session/cancel", json!({"sessionId": session})).await;
    let (messages, answer) = client.until(prompt).await;
    assert_eq!(answer["result"], json!({"stopReason": "cancelled"}));
    let last = updates(&messages).pop().unwrap();
    assert_eq!((&last["status"], &last["toolCallId"]), (&json!("failed"), &json!("c1-1")));
    let prompt = client.prompt(&session, "And now?").await;
    let (messages, answer) = client.until(prompt).await;
    assert_eq!(text(&updates(&messages), "agent_message_chunk").trim_end(), "Here again.");
    assert_eq!(answer["result"], json!({"stopReason": "end_turn"}));
    client.leave().await.unwrap();
}

#[tokio::test]
async fn message_steers_or_begins_a_run() {
    let script = r#"<action id="w" mode="async">{"name":"wait","parameters":{}}</action>
%%
<response>Two.</response>
%%
<response>Three.</response>"#;
    let mut client = TestClient::connect(ScriptedHost::new(Dialect::Action, script)).await;
    let session = client.open().await;
    let params =
        |text: &str| json!({"sessionId": session, "prompt": [{"type": "text", "text": text}]});
    let prompt = client.request("session/prompt", params("One?")).await;
    while client.next().await["params"]["update"]["status"] != "in_progress" {}
    let steered = client.call("_session/steering", params("Two?")).await;
    assert_eq!(steered["outcome"], "injected");
    client.notify("$/cancel_request", json!({"requestId": prompt})).await;
    let (_, answer) = client.until(prompt).await;
    assert_eq!(answer["result"]["stopReason"], "cancelled");
    let steered = client.call("_session/steering", params("Three?")).await;
    assert_eq!(steered["outcome"], "startedNewTurn");
    let mut said = String::new();
    while said.trim_end() != "Two." {
        let update = client.next().await["params"]["update"].take();
        said += &text(&[update], "agent_message_chunk");
    }
    let host = std::sync::Arc::clone(&client.host);
    client.leave().await.unwrap();
    let log = host.store.read(&session, 1..=u64::MAX).await.unwrap();
    let is_steer =
        |entry: &&silcrow_event::Entry| matches!(entry.event, Event::User { steer: true, .. });
    assert_eq!(log.iter().filter(is_steer).count(), 1);
}

#[tokio::test]
async fn todo_list_becomes_the_plan_even_after_loading() {
    let script = r#"§call: {"name": "todo", "args": {"items": [{"content": "Find it", "status": "in_progress"}, {"content": "Ask", "status": "cancelled"}]}}
§call: {"name": "todo", "args": {"items": [{"content": "Find it", "status": "done"}]}}
§execute
%%
§respond: Found.
§end"#;
    let mut client = TestClient::connect(ScriptedHost::new(Dialect::Sigil, script)).await;
    let session = client.open().await;
    let prompt = client.prompt(&session, "Find it.").await;
    let (messages, _) = client.until(prompt).await;
    let plans = |messages: &[Value]| {
        let updates = updates(messages).into_iter();
        updates.filter(|update| update["sessionUpdate"] == "plan").collect::<Vec<_>>()
    };
    let entries = json!([{"content": "Find it", "status": "in_progress", "priority": "medium"}]);
    let expected = json!({"sessionUpdate": "plan", "entries": entries});
    assert_eq!(plans(&messages), std::slice::from_ref(&expected));
    let params = json!({"sessionId": session, "cwd": "/", "mcpServers": []});
    let load = client.request("session/load", params).await;
    let (messages, _) = client.until(load).await;
    assert_eq!(plans(&messages), [expected]);
    client.leave().await.unwrap();
}

#[tokio::test]
async fn disconnect_leaves_a_complete_log() {
    let script = "§call: {\"name\": \"wait\", \"args\": {}}\n§execute";
    let mut client = TestClient::connect(ScriptedHost::new(Dialect::Sigil, script)).await;
    let session = client.open().await;
    client.prompt(&session, "Wait.").await;
    while client.next().await["params"]["update"]["status"] != "in_progress" {}
    let host = std::sync::Arc::clone(&client.host);
    client.leave().await.unwrap();
    let log = host.store.read(&session, 1..=u64::MAX).await.unwrap();
    assert!(matches!(log.last().unwrap().event, Event::Cancelled { .. }), "{log:?}");
}
