//! Commands that a prompt begins with, and their list.

use serde_json::{Value, json};
use silcrow_event::Event;
use silcrow_parser::Dialect;
use silcrow_store::Store as _;

use crate::client::TestClient;
use crate::host::ScriptedHost;

const ANSWERS: &str = "§respond: One.\n§end\n%%\n§respond: Two.\n§end";

fn host() -> ScriptedHost {
    let mut host = ScriptedHost::new(Dialect::Sigil, ANSWERS);
    host.has_command = true;
    host
}

/// Returns the texts of the persons' messages of a conversation.
async fn said(client: &TestClient, session: &str) -> Vec<String> {
    let entries = client.host.store.read(session, 1..=u64::MAX).await.unwrap();
    let said = entries.iter().filter_map(|entry| match &entry.event {
        Event::User { content, .. } => Some(content.text().into_owned()),
        _ => None,
    });
    said.collect()
}

#[tokio::test]
async fn opened_session_lists_its_commands() {
    let mut client = TestClient::connect(host()).await;
    let session = client.open().await;
    let command = json!({
        "name": "greet", "description": "Greets somebody.", "input": {"hint": "who"},
    });
    let list = json!({
        "sessionUpdate": "available_commands_update", "availableCommands": [command],
    });
    let listed = client.next().await;
    assert_eq!(
        (&listed["params"]["sessionId"], &listed["params"]["update"]),
        (&json!(session), &list)
    );
    let prompt = client.prompt(&session, "Hello.").await;
    client.until(prompt).await;
    for method in ["session/load", "session/resume"] {
        let params = json!({"sessionId": session, "cwd": "/work", "mcpServers": []});
        client.call(method, params).await;
        assert_eq!(client.next().await["params"]["update"], list, "after {method}");
    }
    client.leave().await.unwrap();
}

#[tokio::test]
async fn prompt_starting_with_a_command_is_expanded() {
    let mut client = TestClient::connect(host()).await;
    let session = client.open().await;
    client.next().await;
    let file = json!({"uri": "file:///work/a.txt", "text": "Ada"});
    let blocks =
        json!([{"type": "text", "text": "/greet  Ada "}, {"type": "resource", "resource": file}]);
    client.call("session/prompt", json!({"sessionId": session, "prompt": blocks})).await;
    // Any other word after a slash is the person's.
    let prompt = client.prompt(&session, "/tmp is full").await;
    client.until(prompt).await;
    let said = said(&client, &session).await;
    assert!(said[0].starts_with("Say hello to Ada @/work/a.txt.\n\n[data "), "{said:?}");
    assert!(said[0].contains("the file /work/a.txt\nAda\n[end "), "{said:?}");
    assert_eq!(said[1], "/tmp is full");
    client.leave().await.unwrap();
}

#[tokio::test]
async fn unusable_command_explains_without_a_run() {
    let mut client = TestClient::connect(host()).await;
    let session = client.open().await;
    client.next().await;
    let prompt = json!([{"type": "text", "text": "/greet"}]);
    let why = client.error("session/prompt", json!({"sessionId": session, "prompt": prompt})).await;
    assert_eq!(why, "say whom to greet");
    assert_eq!(said(&client, &session).await, [] as [String; 0]);
    let prompt = client.prompt(&session, "/greet Ada").await;
    let (_, answer): (_, Value) = client.until(prompt).await;
    assert_eq!(answer["result"]["stopReason"], "end_turn");
    client.leave().await.unwrap();
}
