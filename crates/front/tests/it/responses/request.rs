//! Requests for responses.

use proptest::prelude::*;
use silcrow_front::{
    ApprovalAnswer, ClientResult, CompletionRequest, ResponseInput, ResponseRequest,
};

#[test]
fn input_has_messages_approvals_and_repeated_items() {
    let request = ResponseRequest::parse(
        br#"{"model": "silcrow", "stream": true, "conversation": {"id": "talk"}, "user": null, "input": [
            {"role": "developer", "content": "Be brief."},
            {"type": "message", "role": "user", "content": [
                {"type": "input_text", "text": "a"}, {"type": "input_text", "text": "b"}]},
            {"type": "function_call_output", "call_id": "c1-1", "output": "x"},
            {"type": "mcp_approval_response", "approval_request_id": "3/a1", "approve": false,
                "reason": "Not there."}]}"#,
    );
    let request = request.unwrap();
    assert_eq!(request.user_texts().collect::<Vec<_>>(), ["a\nb"]);
    let answer = ApprovalAnswer {
        question: "3/a1".to_owned(),
        approve: false,
        reason: Some("Not there.".to_owned()),
    };
    assert_eq!(request.approvals().collect::<Vec<_>>(), [&answer]);
    let result =
        ClientResult { call: "c1-1".to_owned(), content: "x".to_owned(), has_failed: false };
    assert_eq!(request.input[2], ResponseInput::Result(result));
    assert_eq!(request.conversation.as_deref(), Some("talk"));
    assert!(request.stream && request.store && !request.background);
}

#[test]
fn errors_name_the_faulty_field() {
    let error = |body: &str| ResponseRequest::parse(body.as_bytes()).unwrap_err().to_json();
    let errors = [
        "{",
        "[]",
        "{}",
        r#"{"input": "x", "stream": "yes"}"#,
        r#"{"input": [{"role": "user"}]}"#,
        r#"{"input": [{"role": "person", "content": "x"}]}"#,
        r#"{"input": [{"role": "user", "content": [{"type": "input_image"}]}]}"#,
        r#"{"input": [{"type": "mcp_approval_response", "approval_request_id": "3/a1"}]}"#,
        r#"{"input": "x", "metadata": {"a": 1}}"#,
    ];
    insta::assert_snapshot!(errors.map(error).join("\n"), @r#"
    {"error":{"message":"The body of the request is not JSON: EOF while parsing an object at line 1 column 1.","type":"invalid_request_error","param":null,"code":"invalid_request"}}
    {"error":{"message":"The body of the request has to be an object, but is an array.","type":"invalid_request_error","param":null,"code":"invalid_request"}}
    {"error":{"message":"`input` is missing.","type":"invalid_request_error","param":"input","code":"missing_required_parameter"}}
    {"error":{"message":"`stream` has to be `true` or `false`, but is a string.","type":"invalid_request_error","param":"stream","code":"invalid_request"}}
    {"error":{"message":"`input[0].content` is missing.","type":"invalid_request_error","param":"input[0].content","code":"missing_required_parameter"}}
    {"error":{"message":"`input[0].role` is `person`; it has to be `user`, `assistant`, `system`, `developer` or `tool`.","type":"invalid_request_error","param":"input[0].role","code":"invalid_request"}}
    {"error":{"message":"`input[0].content[0].image_url` is missing; send the file itself in it, in base64.","type":"invalid_request_error","param":"input[0].content[0].image_url","code":"unsupported_content"}}
    {"error":{"message":"`input[0].approve` is missing.","type":"invalid_request_error","param":"input[0].approve","code":"missing_required_parameter"}}
    {"error":{"message":"`metadata.a` has to be a string, but is a number.","type":"invalid_request_error","param":"metadata.a","code":"invalid_request"}}
    "#);
}

proptest! {
    #[test]
    fn any_request_is_read_or_named_in_error(
        key in "input|messages|stream|metadata|conversation|stream_options",
        value in "null|4|\"x\"|\\[\\]|\\[(4|null|\\{\\}|\\{\"role\":(4|\"user\")(,\"content\":(4|\\[4\\]))?\\})\\]|\\{\"id\":4\\}",
    ) {
        let body = format!("{{\"model\":\"x\",\"{key}\":{value}}}");
        let errors = [
            ResponseRequest::parse(body.as_bytes()).err(),
            CompletionRequest::parse(body.as_bytes()).err(),
        ];
        for error in errors.iter().flatten() {
            prop_assert!(error.to_json().contains("\"param\":\""), "{}", error.to_json());
        }
    }
}
