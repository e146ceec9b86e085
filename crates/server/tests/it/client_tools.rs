//! The tools of a client: the model calls them, the client runs them, and its next request has the
//! results.

use std::sync::Arc;

use serde_json::{Value, json};
use silcrow_agent::Agent;
use silcrow_provider::ScriptedModel;
use silcrow_server::{AccessToken, Options, RunPlace, Server, ServerUser};
use silcrow_store::MemoryStore;
use silcrow_tool::{DenyAll, ParkAll, Permission, PermissionRequest, Permissions, WithPermissions};

use crate::support::{TestServer, block_on};

pub(crate) const SCRIPT: &str = r#"§think: hm
§call: {"name":"open_map","args":{"place":"Oslo"}}
§execute
%%
§respond: It is open.
§end"#;

/// The model's text after the result.
const REST: &str = "§respond: It is open.\n§end";

pub(crate) fn declared() -> Value {
    json!([{ "name": "open_map", "description": "Opens a map.", "parameters": {
        "type": "object", "properties": { "place": { "type": "string" } }, "required": ["place"],
    } }])
}

fn functions() -> Value {
    let function = &declared()[0];
    json!([{ "type": "function", "function": function }])
}

/// A separate process with the store of another one, and a model that writes this text.
async fn another(store: &Arc<MemoryStore>, script: &str) -> TestServer {
    let (model, kept) = (ScriptedModel::parse(script, 1), Arc::clone(store));
    let source = move |_: &RunPlace| Agent::new(model.clone(), Arc::clone(&kept));
    let token = AccessToken::random().unwrap();
    let server =
        Server::new(Arc::clone(store), source).with_token(token.clone(), ServerUser::default());
    TestServer::serve(server, Arc::clone(store), token.reveal()).await
}

pub(crate) fn last(events: &[Value]) -> &Value {
    events.last().unwrap()
}

/// Returns the text of all pieces.
pub(crate) fn said(events: &[Value]) -> String {
    events.iter().filter_map(|event| event["delta"].as_str()).collect()
}

pub(crate) fn ag_ui(messages: Value, tools: &Value) -> String {
    json!({
        "threadId": "c1", "runId": "r1", "protocolVersion": "1.0", "state": {}, "tools": tools,
        "context": [], "messages": messages,
    })
    .to_string()
}

#[test]
fn ag_ui_client_tool_result_crosses_processes() {
    block_on(async {
        let server = TestServer::new(ScriptedModel::parse(SCRIPT, 1)).await;
        let asked = json!({ "id": "m1", "role": "user", "content": "Where is Oslo?" });
        let body = ag_ui(json!([asked]), &declared());
        let events = server.send("POST", "/ag-ui", &body).await.data();
        let outcome = json!({ "type": "success", "pendingToolCallIds": ["c1-1"] });
        assert_eq!(last(&events)["outcome"], outcome, "{events:?}");
        let kinds: Vec<_> = events.iter().map(|event| event["type"].as_str().unwrap()).collect();
        assert!(kinds.contains(&"TOOL_CALL_END"), "{kinds:?}");
        assert!(!kinds.contains(&"TOOL_CALL_RESULT"), "{kinds:?}");
        // A client that joins gets the same.
        let joined = server.send("POST", "/ag-ui", &body).await.data();
        assert_eq!(last(&joined)["outcome"], outcome, "{joined:?}");
        // It reports its own identity.
        let questions = server.send("GET", "/conversations/c1/questions", "").await.json();
        let call = &questions["questions"][0]["call"];
        assert_eq!(call["tool"], "open_map");
        assert!(call["effect"].as_str().unwrap().contains("on the person's side"), "{call}");

        let call = json!({ "id": "c1-1", "role": "assistant", "toolCalls": [{ "id": "c1-1",
            "type": "function", "function": { "name": "open_map", "arguments": "{}" } }] });
        let result =
            json!({ "id": "x", "role": "tool", "toolCallId": "c1-1", "content": "{\"zoom\":7}" });
        let body = ag_ui(json!([asked, call, result]), &declared());
        let other = another(&server.store, REST).await;
        let events = other.send("POST", "/ag-ui", &body).await.data();
        assert_eq!(last(&events)["outcome"], json!({ "type": "success" }), "{events:?}");
        let kinds: Vec<_> = events.iter().map(|event| event["type"].as_str().unwrap()).collect();
        assert!(kinds.contains(&"TEXT_MESSAGE_CONTENT"), "{kinds:?}");
        // The client has a message with the result.
        assert!(!kinds.contains(&"TOOL_CALL_RESULT"), "{kinds:?}");
        let log = other.send("GET", "/conversations/c1", "").await.json();
        let is_result = |event: &&Value| event["type"] == "result";
        let stored = log["events"].as_array().unwrap().iter().find(is_result).unwrap();
        assert_eq!(
            (&stored["content"], &stored["payload"]["status"]),
            (&json!("{\"zoom\":7}"), &json!("success"))
        );
    });
}

#[test]
fn ai_sdk_client_tool_is_called() {
    block_on(async {
        let server = TestServer::new(ScriptedModel::parse(SCRIPT, 1)).await;
        let tools = json!({ "open_map": declared()[0] });
        let prompt = json!({ "id": "u1", "role": "user",
            "parts": [{ "type": "text", "text": "Where is Oslo?" }] });
        let body = json!({ "id": "c1", "messages": [prompt], "trigger": "submit-message",
            "tools": tools, "system": "Be brief." });
        let parts = server.send("POST", "/api/chat?ai=7", &body.to_string()).await.data();
        let is_input = |part: &&Value| part["type"] == "tool-input-available";
        let input = parts.iter().find(is_input).unwrap();
        assert_eq!((&input["toolName"], &input["dynamic"]), (&json!("open_map"), &Value::Null));
        let kinds: Vec<_> = parts.iter().filter_map(|part| part["type"].as_str()).collect();
        assert!(!kinds.iter().any(|kind| kind.starts_with("tool-output")), "{kinds:?}");
        assert!(!kinds.contains(&"tool-approval-request"), "{kinds:?}");
        let start = parts[0]["messageId"].clone();

        let stored = server.send("GET", "/api/chat/c1?ai=7", "").await.json();
        let part = &stored[1]["parts"][2];
        assert_eq!(
            (&part["type"], &part["state"]),
            (&json!("tool-open_map"), &json!("input-available"))
        );

        let answered = json!({ "id": start, "role": "assistant", "parts": [{
            "type": "tool-open_map", "toolCallId": "c1-1", "state": "output-available",
            "input": { "place": "Oslo" }, "output": { "zoom": 7 } }] });
        let body = json!({ "id": "c1", "messages": [prompt, answered], "messageId": start,
            "trigger": "submit-message" });
        let other = another(&server.store, REST).await;
        let parts = other.send("POST", "/api/chat?ai=7", &body.to_string()).await.data();
        assert_eq!(parts[0]["messageId"], start, "{parts:?}");
        let is_output = |part: &&Value| part["type"] == "tool-output-available";
        let output = parts.iter().find(is_output).unwrap();
        assert_eq!((&output["output"]["zoom"], &output["dynamic"]), (&json!(7), &Value::Null));
        assert_eq!(said(&parts), "It is open.");
        // The same again says nothing new.
        let twice = other.send("POST", "/api/chat?ai=7", &body.to_string()).await;
        assert_eq!((twice.status, &*twice.code()), (409, "stale"));
    });
}

#[test]
fn chat_completions_client_tool_is_called_without_name() {
    block_on(async {
        let server = TestServer::new(ScriptedModel::parse(SCRIPT, 1)).await;
        let mut body = json!({ "model": "silcrow", "tools": functions(), "messages": [
            { "role": "user", "content": "Where is Oslo?" }] });
        let reply = server.send("POST", "/v1/chat/completions", &body.to_string()).await;
        assert_eq!(reply.header("silcrow-unused"), None);
        let choice = reply.json()["choices"][0].clone();
        assert_eq!(choice["finish_reason"], "tool_calls", "{choice}");
        let call = choice["message"]["tool_calls"][0].clone();
        assert_eq!(
            call["function"],
            json!({ "name": "open_map", "arguments": r#"{"place":"Oslo"}"# })
        );

        let result = json!({ "role": "tool", "tool_call_id": call["id"], "content": "open" });
        body["messages"].as_array_mut().unwrap().extend([choice["message"].clone(), result]);
        body["stream"] = true.into();
        let other = another(&server.store, REST).await;
        let chunks = other.send("POST", "/v1/chat/completions", &body.to_string()).await.data();
        let said: String =
            chunks.iter().filter_map(|c| c["choices"][0]["delta"]["content"].as_str()).collect();
        assert_eq!(said, "It is open.");
        let list = other.send("GET", "/conversations?one_off=true", "").await.json();
        assert_eq!(list["conversations"].as_array().unwrap().len(), 1, "{list}");
        // The results are known already.
        let twice = other.send("POST", "/v1/chat/completions", &body.to_string()).await;
        assert_eq!(twice.status, 409, "{twice:?}");

        // The chat continues in the branch of its calls.
        let more = [
            json!({ "role": "assistant", "content": said }),
            json!({ "role": "user", "content": "Thanks." }),
        ];
        body["messages"].as_array_mut().unwrap().extend(more);
        let third = another(&server.store, "§respond: Any time.\n§end").await;
        let chunks = third.send("POST", "/v1/chat/completions", &body.to_string()).await.data();
        let said: String =
            chunks.iter().filter_map(|c| c["choices"][0]["delta"]["content"].as_str()).collect();
        assert_eq!(said, "Any time.");
        let list = third.send("GET", "/conversations?one_off=true", "").await.json();
        assert_eq!(list["conversations"].as_array().unwrap().len(), 1, "{list}");
    });
}

#[test]
fn streamed_tool_calls_are_chunks() {
    block_on(async {
        let server = TestServer::new(ScriptedModel::parse(SCRIPT, 1)).await;
        let body = json!({ "model": "silcrow", "stream": true, "tools": functions(), "messages": [
            { "role": "user", "content": "Where is Oslo?" }] });
        let chunks = server.send("POST", "/v1/chat/completions", &body.to_string()).await.data();
        let calls: Vec<_> = chunks
            .iter()
            .flat_map(|c| {
                c["choices"][0]["delta"]["tool_calls"].as_array().cloned().unwrap_or_default()
            })
            .collect();
        assert_eq!(calls.len(), 1, "{chunks:?}");
        assert_eq!((&calls[0]["index"], &calls[0]["type"]), (&json!(0), &json!("function")));
        let reasons: Vec<_> =
            chunks.iter().filter_map(|c| c["choices"][0]["finish_reason"].as_str()).collect();
        assert_eq!(reasons, ["tool_calls"]);
        let thoughts: String = chunks
            .iter()
            .filter_map(|c| c["choices"][0]["delta"]["reasoning_content"].as_str())
            .collect();
        assert_eq!(thoughts, "hm");
    });
}

#[test]
fn responses_client_tool_is_called() {
    block_on(async {
        for is_stateless in [false, true] {
            let server = TestServer::new(ScriptedModel::parse(SCRIPT, 1)).await;
            let mut tool = declared()[0].clone();
            tool["type"] = "function".into();
            let prompt = json!({ "role": "user", "content": "Where is Oslo?" });
            let body = json!({ "model": "silcrow", "tools": [tool, { "type": "web_search" }],
                "input": [prompt] });
            let reply = server.send("POST", "/v1/responses", &body.to_string()).await;
            assert_eq!(reply.header("silcrow-unused"), Some("tools=web_search"));
            let first = reply.json();
            assert_eq!(first["status"], "completed", "{first}");
            let output = first["output"].as_array().unwrap();
            let call = output.iter().find(|item| item["type"] == "function_call").unwrap().clone();
            assert_eq!((&call["name"], &call["status"]), (&json!("open_map"), &json!("completed")));
            assert_eq!(last(output)["type"], "function_call");

            let result = json!({ "type": "function_call_output", "call_id": call["call_id"],
                "output": "open" });
            let body = match is_stateless {
                true => json!({ "model": "silcrow", "input": [prompt, call, result] }),
                false => json!({ "model": "silcrow", "previous_response_id": first["id"],
                    "input": [result] }),
            };
            let other = another(&server.store, REST).await;
            let second = other.send("POST", "/v1/responses", &body.to_string()).await.json();
            let output = second["output"].as_array().unwrap();
            assert_eq!(output.len(), 1, "{second}");
            assert_eq!(output[0]["content"][0]["text"], "It is open.");
            // Both are the same when they are read again.
            let id = first["id"].as_str().unwrap();
            let again = other.send("GET", &format!("/v1/responses/{id}"), "").await.json();
            assert_eq!(again["output"], first["output"]);
        }
    });
}

/// Rules that deny the tools of a client.
struct DenyMaps;

impl Permissions for DenyMaps {
    fn decide(&self, request: &PermissionRequest<'_>) -> Permission {
        match request.tool {
            "open_map" => Permission::Deny("no maps".to_owned()),
            _ => Permission::Allow,
        }
    }
}

#[test]
fn client_is_asked_unless_permissions_deny() {
    block_on(async {
        let body = ag_ui(json!([{ "id": "m1", "role": "user", "content": "Oslo?" }]), &declared());
        let model = || ScriptedModel::parse(SCRIPT, 1);
        let server = TestServer::with(model(), Options::default(), |agent| {
            agent.with_approver(WithPermissions::new(DenyMaps, ParkAll))
        });
        let events = server.await.send("POST", "/ag-ui", &body).await.data();
        let result = events.iter().find(|event| event["type"] == "TOOL_CALL_RESULT").unwrap();
        assert!(result["content"].as_str().unwrap().contains("no maps"), "{result}");
        assert_eq!(last(&events)["outcome"], json!({ "type": "success" }));

        let server =
            TestServer::with(model(), Options::default(), |agent| agent.with_approver(DenyAll));
        let events = server.await.send("POST", "/ag-ui", &body).await.data();
        assert_eq!(last(&events)["outcome"]["pendingToolCallIds"], json!(["c1-1"]));
    });
}
