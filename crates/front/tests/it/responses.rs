//! Runs as responses, and requests for them.

mod continuing;
mod request;

use proptest::prelude::*;
use serde_json::{Value, json};
use silcrow_front::{CallItems, ResponseHead, ResponsesEncoder};

use crate::random_run;
use crate::responses_client::ResponsesClient;
use crate::scenario::Scenario;

fn encoder(call_items: CallItems) -> ResponsesEncoder {
    let head = ResponseHead::new("resp_1", "silcrow", 1_767_225_600);
    ResponsesEncoder::new("talk", head.with_call_items(call_items))
}

/// Returns the stream of a scenario as a client reads it, and the whole response.
fn read(name: &str, call_items: CallItems) -> (ResponsesClient, Value) {
    let all = Scenario::all();
    let scenario = all.iter().find(|scenario| scenario.name == name).unwrap();
    let mut encoder = encoder(call_items);
    let client = ResponsesClient::read_stream(&scenario.encode(&mut encoder));
    (client, serde_json::from_str(&encoder.response()).unwrap())
}

/// Returns the status of a response, and its items with the members that matter.
fn outline(response: &Value) -> String {
    let mut lines = vec![response["status"].as_str().unwrap().to_owned()];
    for item in response["output"].as_array().unwrap() {
        let mut line = [&item["id"], &item["type"]].map(|text| text.as_str().unwrap()).join(" ");
        let keys = ["status", "name", "arguments", "output", "error", "summary", "content"];
        for key in keys {
            let shown = match &item[key] {
                Value::Null => continue,
                Value::Array(parts) => parts[0]["text"].to_string(),
                Value::Object(error) => error["content"][0]["text"].to_string(),
                Value::String(text) => text.clone(),
                other => other.to_string(),
            };
            line += &format!(" | {shown}");
        }
        lines.push(line);
    }
    if let Some(error) = response["error"].as_object() {
        lines.push(Value::from(error.clone()).to_string());
    }
    lines.join("\n")
}

#[test]
fn text_is_reasoning_item_or_message() {
    let (client, response) = read("text", CallItems::Mcp);
    insta::assert_snapshot!(client.seen.join("\n"), @r"
    response.created
    response.in_progress
    response.output_item.added t1-1
    response.reasoning_summary_part.added t1-1
    response.reasoning_summary_text.delta t1-1
    response.reasoning_summary_text.delta t1-1
    response.reasoning_summary_text.delta t1-1
    response.reasoning_summary_text.done t1-1
    response.reasoning_summary_part.done t1-1
    response.output_item.done t1-1
    response.output_item.added t1-2
    response.content_part.added t1-2
    response.output_text.delta t1-2
    response.output_text.delta t1-2
    response.output_text.delta t1-2
    response.output_text.done t1-2
    response.content_part.done t1-2
    response.output_item.done t1-2
    response.completed
    ");
    insta::assert_snapshot!(outline(&response), @r#"
    completed
    t1-1 reasoning | completed | "The person asks for a sum."
    t1-2 message | completed | "2 + 2 is 4.\nAnything else?"
    "#);
    assert_eq!(response["usage"]["total_tokens"], 150);
    assert_eq!(response["completed_at"], 1_767_225_600);
}

#[test]
fn calls_run_while_others_stream() {
    let (client, response) = read("parallel", CallItems::Mcp);
    insta::assert_snapshot!(client.seen.join("\n"), @r"
    response.created
    response.in_progress
    response.output_item.added t1-1
    response.content_part.added t1-1
    response.output_text.delta t1-1
    response.output_text.delta t1-1
    response.output_text.done t1-1
    response.content_part.done t1-1
    response.output_item.done t1-1
    response.output_item.added c1-1
    response.mcp_call.in_progress c1-1
    response.mcp_call_arguments.delta c1-1
    response.mcp_call_arguments.done c1-1
    response.mcp_call.completed c1-1
    response.output_item.done c1-1
    response.output_item.added c1-2
    response.mcp_call.in_progress c1-2
    response.mcp_call_arguments.delta c1-2
    response.mcp_call_arguments.done c1-2
    response.mcp_call.completed c1-2
    response.output_item.done c1-2
    response.output_item.added t2-1
    response.content_part.added t2-1
    response.output_text.delta t2-1
    response.output_text.delta t2-1
    response.output_text.done t2-1
    response.content_part.done t2-1
    response.output_item.done t2-1
    response.completed
    ");
    insta::assert_snapshot!(outline(&response), @r#"
    completed
    t1-1 message | completed | "I read both."
    c1-1 mcp_call | completed | file_read | {"path":"a.txt"} | one

    c1-2 mcp_call | completed | file_read | {"path":"b.txt"} | two

    t2-1 message | completed | "They differ."
    "#);
}

#[test]
fn every_function_call_has_its_output() {
    let (_, response) = read("parallel", CallItems::FunctionPairs);
    insta::assert_snapshot!(outline(&response), @r#"
    completed
    t1-1 message | completed | "I read both."
    c1-1 function_call | completed | file_read | {"path":"a.txt"}
    c1-1-output function_call_output | completed | "one\n"
    c1-2 function_call | completed | file_read | {"path":"b.txt"}
    c1-2-output function_call_output | completed | "two\n"
    t2-1 message | completed | "They differ."
    "#);
    let (_, response) = read("approval", CallItems::FunctionPairs);
    insta::assert_snapshot!(outline(&response), @r#"
    completed
    t1-1 message | completed | "I write it."
    c1-1 function_call | completed | file_write | {"path":"a.txt","content":"one\n"}
    c1-2 function_call | completed | file_read | {"path":"b.txt"}
    c1-2-output function_call_output | completed | "two\n"
    1/a1 message | completed | "May `file_write` run with these arguments?\n\n    {\"path\":\"a.txt\",\"content\":\"one\\n\"}\n\n    a.txt\n    @@ -0,0 +1 @@\n    +one\n\n- creates a file of 4 bytes\n- the mode `ask` asks about changes of files\n\nThe run waits for an answer to question `1/a1`."
    c1-1-output function_call_output | incomplete | "The run ended before this call had a result."
    "#);
}

#[test]
fn a_question_is_a_request_for_approval() {
    let (_, response) = read("approval", CallItems::Mcp);
    insta::assert_snapshot!(outline(&response), @r#"
    completed
    t1-1 message | completed | "I write it."
    c1-1 mcp_call | incomplete | file_write | {"path":"a.txt","content":"one\n"}
    c1-2 mcp_call | completed | file_read | {"path":"b.txt"} | two

    1/a1 mcp_approval_request | file_write | {"path":"a.txt","content":"one\n"}
    "#);
}

#[test]
fn call_pending_from_earlier_response_is_included() {
    let (client, response) = read("continuation", CallItems::Mcp);
    insta::assert_snapshot!(outline(&response), @r#"
    completed
    c1-1 mcp_call | completed | file_write | {"path":"a.txt","content":"one\n"} | written
    t2-1 message | completed | "It is written."
    "#);
    assert_eq!(client.seen[2], "response.output_item.added c1-1");
}

#[test]
fn an_agent_is_a_call() {
    let (_, response) = read("agent", CallItems::Mcp);
    insta::assert_snapshot!(outline(&response), @r#"
    completed
    c1-1 mcp_call | completed | helper | {"task":"Read a.txt."} | It says: one
    t2-1 message | completed | "The file says: one"
    "#);
}

#[test]
fn a_failed_call_has_an_error() {
    let (_, response) = read("failure", CallItems::Mcp);
    insta::assert_snapshot!(outline(&response), @r#"
    completed
    c1-1 mcp_call | failed | file_read | {"path":"a.txt"} | "There is no file a.txt."
    t2-1 message | completed | "The file does not exist."
    "#);
    let (_, response) = read("malformed", CallItems::Mcp);
    insta::assert_snapshot!(outline(&response), @r#"
    completed
    c1-1 mcp_call | failed | malformed_call | {"text":"{\"name\":\"file_read\",\"args\":[}"} | "This is not a call: it is not JSON."
    t2-1 message | completed | "I cannot read it."
    "#);
}

#[test]
fn early_run_end_is_reported() {
    let (client, response) = read("stopped", CallItems::Mcp);
    insta::assert_snapshot!(outline(&response), @r#"
    cancelled
    c1-1 mcp_call | failed | file_read | {"path":"a.txt"} | "The run was stopped."
    t1-1 message | completed | "While this is being read, I"
    "#);
    assert_eq!(client.seen.last().unwrap(), "response.incomplete");
    let (client, response) = read("error", CallItems::Mcp);
    insta::assert_snapshot!(outline(&response), @r#"
    failed
    t1-1 message | completed | "2 + 2"
    {"code":"server_error","message":"The model cannot be reached; try again later.","silcrow_code":"unreachable"}
    "#);
    assert_eq!(client.seen.last().unwrap(), "response.failed");
}

#[test]
fn a_response_repeats_its_request() {
    let body = br#"{"input": "x", "previous_response_id": "resp_0", "metadata": {"a": "b"},
        "instructions": "Be brief.", "background": true, "store": false, "conversation": "talk"}"#;
    let request = silcrow_front::ResponseRequest::parse(body).unwrap();
    let head = ResponseHead::new("resp_1", "silcrow", 5).with_request(&request);
    let response = ResponsesEncoder::new("talk", head).response();
    let response: Value = serde_json::from_str(&response).unwrap();
    let expected = json!({"previous_response_id": "resp_0", "metadata": {"a": "b"}, "store": false,
        "instructions": "Be brief.", "background": true, "conversation": {"id": "talk"},
        "status": "in_progress", "created_at": 5});
    for (key, value) in expected.as_object().unwrap() {
        assert_eq!(response[key], *value, "{key}");
    }
}

proptest! {
    #[test]
    fn a_stream_adds_up_to_the_response(
        scenario in random_run::scenario(),
        pairs in any::<bool>(),
    ) {
        let call_items = if pairs { CallItems::FunctionPairs } else { CallItems::Mcp };
        let mut encoder = encoder(call_items);
        let client = ResponsesClient::read_stream(&scenario.encode(&mut encoder));
        let response: Value = serde_json::from_str(&encoder.response()).unwrap();
        prop_assert_eq!(&json!(client.items), &response["output"]);
        prop_assert_eq!(client.last.unwrap(), response);
        let outputs = |kind: &str| client.items.iter().filter(|item| item["type"] == kind).count();
        prop_assert_eq!(outputs("function_call"), outputs("function_call_output"));
    }
}
