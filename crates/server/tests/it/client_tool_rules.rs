//! Rules for the tools of a client: calls that they wait beside, limits, and who may refuse.

use serde_json::{Value, json};
use silcrow_provider::ScriptedModel;
use silcrow_server::Options;
use silcrow_tool::ParkAll;

use crate::client_tools::{SCRIPT, ag_ui, declared, last, said};
use crate::save::Save;
use crate::support::{TestServer, block_on};

#[test]
fn client_questions_and_calls_wait_together() {
    block_on(async {
        let script = r#"§call: {"name":"open_map","args":{"place":"Oslo"}}
§call: {"name":"save","args":{"n":1}}
§execute
%%
§respond: Done.
§end"#;
        let save = Save::default();
        let tool = save.clone();
        let server =
            TestServer::with(ScriptedModel::parse(script, 1), Options::default(), move |agent| {
                agent.with_tool(tool.clone()).unwrap().with_approver(ParkAll)
            });
        let server = server.await;
        let asked = json!({ "id": "m1", "role": "user", "content": "Both." });
        let events =
            server.send("POST", "/ag-ui", &ag_ui(json!([asked]), &declared())).await.data();
        let interrupts = &last(&events)["outcome"]["interrupts"];
        assert_eq!(interrupts.as_array().unwrap().len(), 1, "{interrupts}");
        let interrupt = interrupts[0]["id"].clone();
        // An answer alone leaves the client's call open.
        let mut body: Value = serde_json::from_str(&ag_ui(json!([asked]), &declared())).unwrap();
        body["resume"] = json!([{ "interruptId": interrupt, "status": "resolved", "payload": { "approved": true } }]);
        let events = server.send("POST", "/ag-ui", &body.to_string()).await.data();
        assert_eq!(last(&events)["outcome"]["pendingToolCallIds"], json!(["c1-1"]), "{events:?}");
        body["resume"] = Value::Null;
        let result = json!({ "id": "x", "role": "tool", "toolCallId": "c1-1", "content": "", "error": "no display" });
        body["messages"].as_array_mut().unwrap().push(result);
        let events = server.send("POST", "/ag-ui", &body.to_string()).await.data();
        assert_eq!(said(&events), "Done.");
        assert_eq!(save.count(), 1);
        let log = server.send("GET", "/conversations/c1", "").await.json();
        let failed =
            |event: &&Value| event["type"] == "result" && event["payload"]["status"] == "failure";
        let stored = log["events"].as_array().unwrap().iter().find(failed).unwrap();
        assert!(stored["content"].as_str().unwrap().contains("no display"), "{stored}");
    });
}

#[test]
fn declarations_are_bounded_and_shadow_no_tool() {
    block_on(async {
        let server =
            TestServer::with(ScriptedModel::parse(SCRIPT, 1), Options::default(), |agent| {
                agent.with_tool(Save::default()).unwrap().with_approver(ParkAll)
            });
        let server = server.await;
        let wrong = [
            json!([{ "name": "save" }]),
            json!([{ "name": "file read" }]),
            json!([{ "name": "a" }, { "name": "a" }]),
            json!([{ "name": "a", "description": "x".repeat(9_000) }]),
            json!([{ "name": "a", "parameters": { "type": "array" } }]),
            json!([{ "name": "a", "parameters": { "description": "x".repeat(40_000) } }]),
            Value::Array((0..129).map(|n| json!({ "name": format!("a{n}") })).collect()),
        ];
        for tools in wrong {
            let asked = json!([{ "id": "m1", "role": "user", "content": "Go." }]);
            let reply = server.send("POST", "/ag-ui", &ag_ui(asked, &tools)).await;
            assert_eq!(reply.status, 400, "{tools} {reply:?}");
            let functions: Vec<_> = tools
                .as_array()
                .unwrap()
                .iter()
                .map(|tool| json!({ "type": "function", "function": tool }))
                .collect();
            let body = json!({ "model": "silcrow", "tools": functions, "messages": [{ "role": "user", "content": "Go." }] });
            let reply = server.send("POST", "/v1/chat/completions", &body.to_string()).await;
            assert_eq!(reply.status, 400, "{tools} {reply:?}");
        }
        let list = server.send("GET", "/conversations", "").await.json();
        assert_eq!(list["conversations"], json!([]), "nothing is stored");
    });
}

#[test]
fn person_may_refuse_a_clients_call() {
    block_on(async {
        let server = TestServer::new(ScriptedModel::parse(SCRIPT, 1)).await;
        let asked = json!([{ "id": "m1", "role": "user", "content": "Oslo?" }]);
        server.send("POST", "/ag-ui", &ag_ui(asked.clone(), &declared())).await;
        let body =
            json!({ "answers": [{ "question": "1/a1", "decision": "deny", "reason": "not now" }] });
        let questions = server.send("GET", "/conversations/c1/questions", "").await.json();
        let id = &questions["questions"][0]["id"];
        let body = json!({ "answers": [{ "question": id, "decision": "deny", "reason": body["answers"][0]["reason"] }] });
        let taken = server.send("POST", "/conversations/c1/answers", &body.to_string()).await;
        assert_eq!(taken.json()["open"], 0, "{taken:?}");
        let mut reader = server.events("/conversations/c1/events", None).await;
        let read = reader.until("respond").await;
        let denied = read.iter().find(|event| event.data["type"] == "result").unwrap();
        assert!(denied.data["content"].as_str().unwrap().contains("not now"), "{denied:?}");
    });
}

/// Clients before 1.0 fail at an unknown member.
#[test]
fn older_ag_ui_client_gets_calls_without_ids() {
    block_on(async {
        let server = TestServer::new(ScriptedModel::parse(SCRIPT, 1)).await;
        let asked = json!([{ "id": "m1", "role": "user", "content": "Where is Oslo?" }]);
        let body = ag_ui(asked, &declared()).replace(r#""protocolVersion":"1.0","#, "");
        assert!(!body.contains("protocolVersion"));
        let events = server.send("POST", "/ag-ui", &body).await.data();
        assert!(events.iter().any(|event| event["type"] == "TOOL_CALL_END"), "{events:?}");
        assert_eq!(last(&events)["outcome"], json!({ "type": "success" }), "{events:?}");
    });
}
