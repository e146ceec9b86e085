//! Questions that the client answers.

use serde_json::{Value, json};
use silcrow_event::Event;
use silcrow_parser::Dialect;
use silcrow_store::Store as _;

use crate::client::{TestClient, updates};
use crate::host::ScriptedHost;

const TWO_CALLS: &str = r#"<action id="one" mode="async">{"name":"write","parameters":{"file":"a.txt"}}</action>
<action id="two" mode="async">{"name":"write","parameters":{"file":"b.txt"}}</action>
%%
<response>Done.</response>"#;

/// Returns the next requests for permission.
async fn questions(client: &mut TestClient, count: usize) -> Vec<Value> {
    let mut questions = Vec::new();
    while questions.len() < count {
        let message = client.next().await;
        if message["method"] == "session/request_permission" {
            questions.push(message);
        }
    }
    questions
}

fn selected(option: &str) -> Value {
    json!({"outcome": {"outcome": "selected", "optionId": option}})
}

#[tokio::test]
async fn concurrent_questions_are_answered_in_any_order() {
    let mut client = TestClient::connect(ScriptedHost::new(Dialect::Action, TWO_CALLS)).await;
    let session = client.open().await;
    let prompt = client.prompt(&session, "Write both.").await;
    let questions = questions(&mut client, 2).await;
    let call = &questions[0]["params"]["toolCall"];
    assert_eq!((&call["toolCallId"], &call["title"]), (&json!("c1-1"), &json!("write a.txt")));
    assert_eq!(call["content"][1]["path"], "/work/a.txt");
    assert_eq!(call["content"][1]["newText"], "new\n");
    let kinds: Vec<_> = questions[0]["params"]["options"]
        .as_array()
        .unwrap()
        .iter()
        .map(|option| option["kind"].as_str().unwrap())
        .collect();
    assert_eq!(kinds, ["allow_once", "allow_always", "reject_once"]);
    client.answer(&questions[1], selected("reject-once")).await;
    client.answer(&questions[0], selected("allow-once")).await;
    let (messages, answer) = client.until(prompt).await;
    assert_eq!(answer["result"]["stopReason"], "end_turn");
    let updates = updates(&messages);
    let status = |call: &str| {
        let of_call = updates.iter().filter(|update| update["toolCallId"] == call);
        of_call.filter_map(|update| update["status"].as_str()).next_back().unwrap().to_owned()
    };
    assert_eq!((&*status("c1-1"), &*status("c1-2")), ("completed", "failed"));
    // The changes of the call are still shown after its end.
    let ended = updates.iter().find(|update| update["status"] == "completed").unwrap();
    let kinds: Vec<_> =
        ended["content"].as_array().unwrap().iter().map(|one| &one["type"]).collect();
    assert_eq!(kinds, ["diff", "content"]);
    client.leave().await.unwrap();
}

#[tokio::test]
async fn open_questions_do_not_block_cancelling() {
    let script = format!("{TWO_CALLS}\n%%\n<response>Next.</response>");
    let mut client = TestClient::connect(ScriptedHost::new(Dialect::Action, &script)).await;
    let session = client.open().await;
    let prompt = client.prompt(&session, "Write both.").await;
    let questions = questions(&mut client, 2).await;
    client.notify("session/cancel", json!({"sessionId": session})).await;
    // One client answers as the protocol says, after the run has ended; the other never does.
    let (_, answer) = client.until(prompt).await;
    assert_eq!(answer["result"], json!({"stopReason": "cancelled"}));
    client.answer(&questions[0], json!({"outcome": {"outcome": "cancelled"}})).await;
    let prompt = client.prompt(&session, "And now?").await;
    let (_, answer) = client.until(prompt).await;
    assert_eq!(answer["result"]["stopReason"], "end_turn");
    client.leave().await.unwrap();
}

#[tokio::test]
async fn disconnect_with_open_questions_leaves_complete_log() {
    let mut client = TestClient::connect(ScriptedHost::new(Dialect::Action, TWO_CALLS)).await;
    let session = client.open().await;
    client.prompt(&session, "Write both.").await;
    questions(&mut client, 2).await;
    let host = std::sync::Arc::clone(&client.host);
    client.leave().await.unwrap();
    let log = host.store.read(&session, 1..=u64::MAX).await.unwrap();
    assert!(matches!(log.last().unwrap().event, Event::Cancelled { .. }), "{log:?}");
}

#[tokio::test]
async fn agent_question_is_shown_under_its_call() {
    let script = r#"<action type="agent" id="sub">{"name":"helper","parameters":{"task":"Help."}}</action>
%%
<response>Done.</response>"#;
    let mut client = TestClient::connect(ScriptedHost::new(Dialect::Action, script)).await;
    let session = client.open().await;
    let prompt = client.prompt(&session, "Get help.").await;
    let questions = questions(&mut client, 1).await;
    let id = questions[0]["params"]["toolCall"]["toolCallId"].clone();
    assert_eq!(id, format!("{session}/1/sub:c1-1"));
    client.answer(&questions[0], selected("allow-always")).await;
    let (messages, answer) = client.until(prompt).await;
    assert_eq!(answer["result"]["stopReason"], "end_turn");
    let updates = updates(&messages);
    assert!(
        updates.iter().any(|update| update["toolCallId"] == id && update["status"] == "completed")
    );
    client.leave().await.unwrap();
}

#[tokio::test]
async fn error_response_denies_the_call() {
    let script = "<action>{\"name\":\"write\",\"parameters\":{\"file\":\"a\"}}</action>\n%%\n<response>No.</response>";
    let mut client = TestClient::connect(ScriptedHost::new(Dialect::Action, script)).await;
    let session = client.open().await;
    let prompt = client.prompt(&session, "Write.").await;
    let questions = questions(&mut client, 1).await;
    let id = &questions[0]["id"];
    client
        .line(
            &json!({"jsonrpc": "2.0", "id": id, "error": {"code": 1, "message": "closed"}})
                .to_string(),
        )
        .await;
    let (messages, _) = client.until(prompt).await;
    let updates = updates(&messages);
    let ended = updates.iter().find(|update| update["status"] == "failed").unwrap();
    assert!(
        ended["content"][1]["content"]["text"]
            .as_str()
            .unwrap()
            .contains("nobody approved `write`: closed")
    );
    client.leave().await.unwrap();
}
