//! Long runs as tasks.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::{Client, Host, PATIENCE, WAITS, WRITES, taken};

const TASKS: &str = "io.modelcontextprotocol/tasks";

fn host(script: &str) -> Host {
    Host::over(Arc::default(), script, Duration::ZERO)
}

async fn begun(client: &mut Client) -> String {
    client.can = json!({"extensions": {TASKS: {}}, "elicitation": {"form": {}}});
    let call = json!({"name": "run", "arguments": {"prompt": "Wait."}});
    let task = client.stateless("tools/call", call).await;
    assert_eq!(task["result"]["resultType"], "task", "{task}");
    assert_eq!(task["result"]["status"], "working");
    task["result"]["taskId"].as_str().unwrap().to_owned()
}

async fn state(client: &mut Client, task: &str) -> Value {
    client.stateless("tasks/get", json!({"taskId": task})).await["result"].clone()
}

/// Waits until a task has a status.
async fn until(client: &mut Client, task: &str, status: &str) -> Value {
    let found = async {
        loop {
            let state = state(client, task).await;
            if state["status"] == status {
                return state;
            }
            assert_ne!(state["status"], Value::Null, "{state}");
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(PATIENCE, found).await.expect("the task never gets there")
}

#[tokio::test]
async fn long_run_task_outlives_call_and_process() {
    let host = host(WAITS);
    let mut client = host.connect();
    let task = begun(&mut client).await;
    taken(&host.acts.waits).await;
    assert_eq!(state(&mut client, &task).await["status"], "working");
    host.acts.gate.add_permits(1);
    let done = until(&mut client, &task, "completed").await;
    assert_eq!(done["result"]["structuredContent"]["answer"], "It has waited.", "{done}");

    // Another process over the same store finds the task, too.
    let later = Host::over(Arc::clone(&host.store), "", Duration::ZERO);
    let mut client = later.connect();
    client.can = json!({"extensions": {TASKS: {}}});
    assert_eq!(state(&mut client, &task).await["result"], done["result"]);
}

#[tokio::test]
async fn a_task_is_cancelled() {
    let host = host(WAITS);
    let mut client = host.connect();
    let task = begun(&mut client).await;
    taken(&host.acts.waits).await;
    let answer = client.stateless("tasks/cancel", json!({"taskId": task})).await;
    assert_eq!(answer["result"]["resultType"], "complete", "{answer}");
    taken(&host.acts.dropped).await;
    until(&mut client, &task, "cancelled").await;
}

#[tokio::test]
async fn task_asks_and_continues_with_answer() {
    let host = host(&format!(
        "<action id=\"x\" mode=\"async\">{{\"name\":\"wait\",\"parameters\":{{}}}}</action>\n<execute>\n%%\n{WRITES}"
    ));
    let mut client = host.connect();
    let task = begun(&mut client).await;
    host.acts.gate.add_permits(1);
    let asks = until(&mut client, &task, "input_required").await;
    let key = asks["inputRequests"].as_object().unwrap().keys().next().unwrap().clone();
    let responses = json!({key: {"action": "accept", "content": {"decision": "once"}}});
    let params = json!({"taskId": task, "inputResponses": responses});
    client.stateless("tasks/update", params).await;
    let done = until(&mut client, &task, "completed").await;
    assert_eq!(done["result"]["structuredContent"]["outcome"], "answered", "{done}");
    assert_eq!(host.written(), 1);
}

#[tokio::test]
async fn an_unknown_task_is_an_error() {
    let host = host(WAITS);
    let mut client = host.connect();
    client.can = json!({"extensions": {TASKS: {}}});
    for task in ["", "a", "a:b", "nobody:0", "a/b:0"] {
        let answer = client.stateless("tasks/get", json!({"taskId": task})).await;
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
    }
}
