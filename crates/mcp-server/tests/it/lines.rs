//! Calls over lines, and the conversations that they leave.

use serde_json::{Value, json};
use silcrow_event::Event;
use silcrow_store::Store as _;

use crate::support::{ANSWERS, Host, WAITS, structured, taken};

#[tokio::test]
async fn client_lists_tools_and_runs_prompt() {
    let host = Host::new(ANSWERS);
    let mut client = host.connect();
    let answer = client.initialize(json!({})).await;
    assert_eq!(answer["result"]["serverInfo"]["name"], "silcrow");
    let listed = client.request("tools/list", json!({})).await;
    let tools = listed["result"]["tools"].as_array().unwrap();
    let names: Vec<_> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["broken", "digest", "run"]);
    assert_eq!(tools[2]["annotations"]["readOnlyHint"], json!(false));

    let params = json!({"name": "run", "arguments": {"prompt": "2 + 2?"}});
    let answer = client.request("tools/call", params).await;
    assert_eq!(structured(&answer)["outcome"], "answered", "{answer}");
    assert_eq!(structured(&answer)["answer"], "Four.");
    assert_eq!(answer["result"]["content"][0]["text"], "Four.");
    assert_eq!(structured(&answer)["conversation"], json!(host.conversation().await));
    // Progress was not requested.
    assert!(client.progress().is_empty());
}

#[tokio::test]
async fn conversation_continues_through_tool_and_elsewhere() {
    let host = Host::new(&format!("{ANSWERS}\n%%\n<response>Five.</response>\n%%\n{ANSWERS}"));
    let mut client = host.connect();
    client.initialize(json!({})).await;
    let params = json!({"name": "run", "arguments": {"prompt": "2 + 2?"}});
    let first = client.request("tools/call", params).await;
    let conversation = structured(&first)["conversation"].as_str().unwrap().to_owned();
    let again = json!({"prompt": "And 1?", "conversation": conversation});
    let second = client.request("tools/call", json!({"name": "run", "arguments": again})).await;
    assert_eq!(structured(&second)["answer"], "Five.");
    let place = silcrow_server::RunPlace::new(&*conversation);
    let run = host.server.start(place, "Here?").await.unwrap();
    while run.ended().is_none() {
        tokio::task::yield_now().await;
    }
    let log = host.store.read(&conversation, 1..=u64::MAX).await.unwrap();
    let prompts = log.iter().filter(|entry| matches!(entry.event, Event::User { .. }));
    assert_eq!(prompts.count(), 3);
}

#[tokio::test]
async fn progress_names_turns_and_calls_and_only_grows() {
    let host = Host::new(WAITS);
    let mut client = host.connect();
    client.initialize(json!({})).await;
    let params = json!({
        "name": "run",
        "arguments": {"prompt": "Wait."},
        "_meta": {"progressToken": "p"},
    });
    let id = client.begin("tools/call", params).await;
    taken(&host.acts.waits).await;
    host.acts.gate.add_permits(1);
    let answer = client.answer(id).await;
    assert_eq!(structured(&answer)["answer"], "It has waited.");
    assert_eq!(client.progress(), ["turn 1", "wait"]);
    let amounts: Vec<_> = client.told.iter().map(|told| &told["params"]["progress"]).collect();
    assert_eq!(amounts.len(), 2);
    assert!(amounts[0].as_f64() < amounts[1].as_f64());
    assert!(client.told.iter().all(|told| told["params"]["progressToken"] == "p"));
}

#[tokio::test]
async fn invalid_calls_get_explanatory_errors() {
    let host = Host::new(ANSWERS);
    let mut client = host.connect();
    client.initialize(json!({})).await;
    let mut refused = async |params: Value| client.request("tools/call", params).await;
    let answer = refused(json!({"name": "fly", "arguments": {}})).await;
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
    let answer = refused(json!({"name": "run", "arguments": {"prompt": 7}})).await;
    assert!(answer["error"]["message"].as_str().unwrap().contains("`prompt`"), "{answer}");
    let answer = refused(json!({"name": "run", "arguments": {"prompt": " "}})).await;
    assert_eq!(answer["result"]["isError"], json!(true), "{answer}");
    let args = json!({"prompt": "a", "conversation": "a/b"});
    let answer = refused(json!({"name": "run", "arguments": args})).await;
    assert_eq!(answer["result"]["isError"], json!(true), "{answer}");
}
