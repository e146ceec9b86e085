//! Sessions that are stored, loaded, listed, closed and deleted, and what a person chooses for them.

use serde_json::json;
use silcrow_parser::Dialect;

use crate::client::{TestClient, updates};
use crate::host::ScriptedHost;

const SCRIPT: &str = r#"§think: Let me ask.
§call: {"name": "unknown", "args": {"file": "a.txt"}}
§execute
%%
§respond: Done.
§end"#;

#[tokio::test]
async fn a_loaded_session_shows_what_its_run_showed() {
    let mut client = TestClient::new(ScriptedHost::new(Dialect::Sigil, SCRIPT));
    let session = client.open().await;
    let prompt = client.prompt(&session, "Do it.").await;
    let (messages, _) = client.until(prompt).await;
    let params = json!({"sessionId": session, "cwd": "/work", "mcpServers": []});
    let load = client.request("session/load", params.clone()).await;
    let (loaded, _) = client.until(load).await;
    let calls = |messages: &[serde_json::Value]| {
        let mut calls = updates(messages);
        calls.retain(|update| update.get("toolCallId").is_some());
        calls
    };
    assert_eq!(calls(&loaded), calls(&messages));
    let loaded = updates(&loaded);
    assert_eq!(loaded[0]["sessionUpdate"], "user_message_chunk");
    assert_eq!(loaded[0]["content"]["text"], "Do it.");
    assert_eq!(loaded.last().unwrap()["content"]["text"], "Done.");
    let resume = client.request("session/resume", params).await;
    let (resumed, _) = client.until(resume).await;
    assert_eq!(resumed, [] as [serde_json::Value; 0]);
    client.leave().await.unwrap();
}

#[tokio::test]
async fn sessions_are_listed_by_folder_and_deleted() {
    let mut client = TestClient::new(ScriptedHost::new(Dialect::Sigil, SCRIPT));
    let session = client.open().await;
    let prompt = client.prompt(&session, "Do it.").await;
    client.until(prompt).await;
    let listed = client.call("session/list", json!({"cwd": "/work"})).await;
    let shown = &listed["sessions"][0];
    assert_eq!((&shown["sessionId"], &shown["title"]), (&json!(session), &json!("Do it.")));
    assert!(shown["updatedAt"].as_str().unwrap().ends_with('Z'), "{shown}");
    assert_eq!(client.call("session/list", json!({"cwd": "/else"})).await["sessions"], json!([]));
    let cursor = client.error("session/list", json!({"cursor": "x"})).await;
    assert!(cursor.contains("`x` is no cursor"), "{cursor}");
    client.call("session/delete", json!({"sessionId": session})).await;
    assert_eq!(client.call("session/list", json!({})).await["sessions"], json!([]));
    let why = client.error("session/delete", json!({"sessionId": session})).await;
    assert!(why.contains("there is no session"), "{why}");
    client.leave().await.unwrap();
}

#[tokio::test]
async fn a_person_chooses_modes_and_options() {
    let mut client = TestClient::new(ScriptedHost::new(Dialect::Sigil, SCRIPT));
    let opened = client.call("session/new", json!({"cwd": "/work", "mcpServers": []})).await;
    let session = opened["sessionId"].as_str().unwrap();
    assert_eq!(opened["modes"]["currentModeId"], "ask");
    assert_eq!(opened["configOptions"][0]["currentValue"], "low");
    client.call("session/set_mode", json!({"sessionId": session, "modeId": "full"})).await;
    let params = json!({"sessionId": session, "configId": "effort", "value": "high"});
    let options = client.call("session/set_config_option", params).await;
    assert_eq!(options["configOptions"][0]["currentValue"], "high");
    let why = client.error("session/set_mode", json!({"sessionId": session, "modeId": "x"})).await;
    assert_eq!(why, "`x` is no value for the mode; the values are: ask, full");
    client.call("session/close", json!({"sessionId": session})).await;
    let why =
        client.error("session/set_mode", json!({"sessionId": session, "modeId": "ask"})).await;
    assert!(why.contains("there is no session"), "{why}");
    client.leave().await.unwrap();
}
