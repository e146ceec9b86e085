//! Sessions that are stored, loaded, listed, closed and deleted, and the person's choices for them.

use serde_json::json;
use silcrow_acp::{AcpServer, AcpServerAddress};
use silcrow_parser::Dialect;
use silcrow_store::Store as _;

use crate::client::{TestClient, updates};
use crate::host::ScriptedHost;

const SCRIPT: &str = r#"§think: Let me ask.
§call: {"name": "unknown", "args": {"file": "a.txt"}}
§execute
%%
§respond: Done.
§end"#;

#[tokio::test]
async fn loaded_session_repeats_its_updates() {
    let mut client = TestClient::connect(ScriptedHost::new(Dialect::Sigil, SCRIPT)).await;
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
    let mut client = TestClient::connect(ScriptedHost::new(Dialect::Sigil, SCRIPT)).await;
    let session = client.open().await;
    let prompt = client.prompt(&session, "Do it.").await;
    client.until(prompt).await;
    let listed = client.call("session/list", json!({"cwd": "/work"})).await;
    let shown = &listed["sessions"][0];
    assert_eq!((&shown["sessionId"], &shown["title"]), (&json!(session), &json!("Do it.")));
    assert!(shown["updatedAt"].as_str().unwrap().ends_with('Z'), "{shown}");
    assert_eq!(client.call("session/list", json!({"cwd": "/else"})).await["sessions"], json!([]));
    let cursor = client.error("session/list", json!({"cursor": "x"})).await;
    assert!(cursor.contains("invalid cursor `x`"), "{cursor}");
    client.call("session/delete", json!({"sessionId": session})).await;
    assert_eq!(client.call("session/list", json!({})).await["sessions"], json!([]));
    let why = client.error("session/delete", json!({"sessionId": session})).await;
    assert!(why.contains("unknown session"), "{why}");
    client.leave().await.unwrap();
}

#[tokio::test]
async fn session_in_missing_folder_is_refused_at_once() {
    let mut client = TestClient::connect(ScriptedHost::new(Dialect::Sigil, SCRIPT)).await;
    let params = json!({"cwd": "/missing/x", "mcpServers": []});
    let why = client.error("session/new", params).await;
    assert!(why.contains("the folder /missing/x does not exist"), "{why}");
    // A folder may have gone since the session was used.
    let session = client.open().await;
    let prompt = client.prompt(&session, "Do it.").await;
    client.until(prompt).await;
    for method in ["session/load", "session/resume"] {
        let params = json!({"sessionId": session, "cwd": "/missing/x", "mcpServers": []});
        let request = client.request(method, params).await;
        let (before, answer) = client.until(request).await;
        let why = answer["error"]["message"].as_str().unwrap();
        assert!(why.contains("the folder /missing/x does not exist"), "{method}: {why}");
        assert_eq!(before, [] as [serde_json::Value; 0]);
    }
    client.leave().await.unwrap();
}

#[tokio::test]
async fn person_chooses_modes_and_options() {
    let mut client = TestClient::connect(ScriptedHost::new(Dialect::Sigil, SCRIPT)).await;
    let opened = client.call("session/new", json!({"cwd": "/work", "mcpServers": []})).await;
    let session = opened["sessionId"].as_str().unwrap();
    assert_eq!(opened["modes"]["currentModeId"], "ask");
    assert_eq!(opened["configOptions"][0]["currentValue"], "low");
    client.call("session/set_mode", json!({"sessionId": session, "modeId": "full"})).await;
    let params = json!({"sessionId": session, "configId": "effort", "value": "high"});
    let options = client.call("session/set_config_option", params).await;
    assert_eq!(options["configOptions"][0]["currentValue"], "high");
    let why = client.error("session/set_mode", json!({"sessionId": session, "modeId": "x"})).await;
    assert_eq!(why, "unknown value `x` for `mode`; use one of ask, full");
    client.call("session/close", json!({"sessionId": session})).await;
    let why =
        client.error("session/set_mode", json!({"sessionId": session, "modeId": "ask"})).await;
    assert!(why.contains("unknown session"), "{why}");
    client.leave().await.unwrap();
}

#[tokio::test]
async fn session_starts_the_servers_of_its_client() {
    let mut client = TestClient::new(ScriptedHost::new(Dialect::Sigil, SCRIPT));
    let offered = client.call("initialize", json!({"protocolVersion": 1})).await;
    assert_eq!(offered["agentCapabilities"]["mcpCapabilities"]["http"], true);
    let servers = json!([
        {"name": "time", "command": "/bin/time", "args": ["-v"], "env": [{"name": "A", "value": "b"}]},
        {"type": "http", "name": "issues", "url": "https://x/mcp", "headers": []},
    ]);
    let params = json!({"cwd": "/work", "mcpServers": servers});
    let session = client.call("session/new", params).await["sessionId"].clone();
    let prompt = client.prompt(session.as_str().unwrap(), "Do it.").await;
    client.until(prompt).await;
    let (words, env) =
        (["/bin/time", "-v"].map(str::to_owned).to_vec(), vec![("A".into(), "b".into())]);
    let time = AcpServer { name: "time".into(), address: AcpServerAddress::Command { words, env } };
    let url = AcpServerAddress::Url { url: "https://x/mcp".into(), headers: Vec::new() };
    let issues = AcpServer { name: "issues".into(), address: url };
    assert_eq!(*client.host.servers.lock().unwrap(), [time, issues]);
    client.leave().await.unwrap();
}

const WAIT: &str = "§call: {\"name\": \"wait\", \"args\": {}}\n§execute\n%%\n§respond: Here.\n§end";

/// Begins a prompt that waits until it is stopped, and returns the request.
async fn waiting(client: &mut TestClient, session: &str) -> u64 {
    let prompt = client.prompt(session, "Wait.").await;
    while client.next().await["params"]["update"]["status"] != "in_progress" {}
    prompt
}

#[tokio::test]
async fn closed_session_ends_its_run_and_reloads() {
    let script = format!("{WAIT}\n%%\n{WAIT}");
    let mut client = TestClient::connect(ScriptedHost::new(Dialect::Sigil, &script)).await;
    let session = client.open().await;
    let prompt = waiting(&mut client, &session).await;
    let params = json!({"sessionId": session, "cwd": "/work", "mcpServers": []});
    let close = client.request("session/close", json!({"sessionId": session})).await;
    let (before, answer) = client.until(close).await;
    assert_eq!(answer["result"], json!({}));
    let ended = before.iter().find(|message| message["id"] == prompt).unwrap_or_else(|| {
        panic!("the session is closed before its run is over: {before:?}");
    });
    assert_eq!(ended["result"]["stopReason"], "cancelled");
    // The end of the first run is not mistaken for the end of the next one.
    client.call("session/resume", params).await;
    let prompt = client.prompt(&session, "And now?").await;
    let (_, answer) = client.until(prompt).await;
    assert_eq!(answer["result"]["stopReason"], "end_turn");
    let prompt = waiting(&mut client, &session).await;
    client.notify("session/cancel", json!({"sessionId": session})).await;
    let (_, answer) = client.until(prompt).await;
    assert_eq!(answer["result"]["stopReason"], "cancelled");
    client.leave().await.unwrap();
}

#[tokio::test]
async fn deleted_session_leaves_nothing_behind() {
    let mut client = TestClient::connect(ScriptedHost::new(Dialect::Sigil, WAIT)).await;
    let session = client.open().await;
    let prompt = waiting(&mut client, &session).await;
    let delete = client.request("session/delete", json!({"sessionId": session})).await;
    let (before, answer) = client.until(delete).await;
    assert_eq!(answer["result"], json!({}));
    assert!(before.iter().any(|message| message["id"] == prompt), "{before:?}");
    let host = std::sync::Arc::clone(&client.host);
    client.leave().await.unwrap();
    assert_eq!(host.store.head(&session).await.unwrap(), 0);
}
