//! The requests that each API sends.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use silcrow_event::{Content, ContentPart, Message, NativeCall, NativeResult, Role};
use silcrow_provider::{ErrorKind, Provider, Request, ToolDeclaration};
use silcrow_vendors::{ApiKey, Chat, Interactions, Messages, Responses};

use crate::server::{Server, ask, brief, events, finish};

fn server() -> Server {
    Server::playing(events(&finish("stop")), usize::MAX)
}

/// The head's first line, the head, and the body of the next request.
fn received(server: &Server) -> (String, String, Value) {
    let request = server.requests.try_recv().unwrap();
    let (head, body) = request.split_once("\r\n\r\n").unwrap();
    let line = head.lines().next().unwrap().to_owned();
    (line, head.to_ascii_lowercase(), serde_json::from_str(body).unwrap())
}

#[tokio::test]
async fn minimal_request_has_only_required_fields() {
    let server = server();
    ask(&server.chat(), true).await;
    let (line, head, body) = received(&server);
    assert_eq!(line, "POST /v1/chat/completions HTTP/1.1");
    assert!(head.contains("content-type: application/json"), "{head}");
    assert!(head.contains("accept: text/event-stream"), "{head}");
    assert!(!head.contains("authorization"), "{head}");
    let messages = json!([{"role": "user", "content": "hi"}]);
    let expected = json!({
        "model": "m",
        "messages": messages,
        "stream": true,
        "stream_options": {"include_usage": true},
    });
    assert_eq!(body, expected);

    ask(&server.chat(), false).await;
    let (_, _, body) = received(&server);
    assert_eq!(body, json!({"model": "m", "messages": messages, "stream": false}));
}

#[tokio::test]
async fn set_options_use_the_server_names() {
    let server = server();
    ask(&server.chat().with_max_tokens(9).with_temperature(0.5), true).await;
    let (_, _, body) = received(&server);
    assert_eq!((&body["max_tokens"], &body["temperature"]), (&json!(9), &json!(0.5)));
    assert_eq!(body["max_completion_tokens"], Value::Null);

    let key = ApiKey::new("sk-test", "OPENAI_API_KEY");
    let chat = Chat::new("gpt", key).unwrap().with_base(&server.url()).unwrap();
    ask(&chat.with_max_tokens(9), true).await;
    let (_, _, body) = received(&server);
    assert_eq!((&body["model"], &body["max_completion_tokens"]), (&json!("gpt"), &json!(9)));
    assert_eq!(body["max_tokens"], Value::Null);
}

#[tokio::test]
async fn messages_keep_their_roles_and_every_character() {
    let server = server();
    let text = "§think: \"naïve\"\r\n\\ \u{0}🗼";
    let roles = [Role::System, Role::User, Role::Assistant];
    let messages = roles.map(|role| Message::new(role, text)).to_vec();
    let chat = server.chat();
    let deltas = chat.stream(Request::new(messages));
    assert!(server.requests.try_recv().is_err(), "nothing is sent before a delta is asked for");
    futures_util::StreamExt::count(deltas).await;
    let (_, _, body) = received(&server);
    for (message, role) in body["messages"].as_array().unwrap().iter().zip(roles) {
        assert_eq!((&message["role"], &message["content"]), (&json!(role.as_str()), &json!(text)));
    }
}

#[tokio::test]
async fn key_is_sent_in_its_header() {
    let server = server();
    let key = ApiKey::new(" sk-secret\n", "a file");
    ask(&Chat::compatible(&server.url(), "m", Some(key)).unwrap(), true).await;
    assert!(received(&server).1.contains("authorization: bearer sk-secret\r\n"));
}

#[tokio::test]
async fn a_path_is_completed() {
    let server = server();
    for (path, sent) in [
        ("", "/v1/chat/completions"),
        ("/", "/v1/chat/completions"),
        ("/v1", "/v1/chat/completions"),
        ("/v1/", "/v1/chat/completions"),
        ("/proxy/openai", "/proxy/openai/chat/completions"),
        ("/x/chat/completions", "/x/chat/completions"),
        ("/v1?version=2", "/v1/chat/completions?version=2"),
    ] {
        let chat = Chat::compatible(&format!("{}{path}", server.url()), "m", None).unwrap();
        ask(&chat, true).await;
        assert_eq!(received(&server).0, format!("POST {sent} HTTP/1.1"), "{path}");
    }
}

#[test]
fn model_name_is_its_selector() {
    let key = || ApiKey::new("sk-secret", "OPENAI_API_KEY");
    assert_eq!(Chat::new("gpt-5", key()).unwrap().name(), "openai:gpt-5");
    let chat = Chat::compatible("http://127.0.0.1:8080/v1/", "gemma3", None).unwrap();
    assert_eq!(chat.name(), "compatible:http://127.0.0.1:8080/v1#gemma3");
    let chat = Chat::compatible("http://me:word@127.0.0.1:8080", "gemma3", None).unwrap();
    assert_eq!(chat.name(), "compatible:http://127.0.0.1:8080#gemma3");
}

#[test]
fn unsendable_requests_are_refused_at_once() {
    for (url, what) in [("", "read"), ("127.0.0.1:8080", "read"), ("ftp://host/", "neither")] {
        let error = Chat::compatible(url, "m", None).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Refused, "{url}");
        assert!(error.to_string().contains(what), "{url}: {error}");
    }
    for key in ["", " \n", "sk-\nsecret", "sk-§"] {
        let error = Chat::new("m", ApiKey::new(key, "OPENAI_API_KEY")).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Auth, "{key:?}");
        assert!(error.to_string().contains("OPENAI_API_KEY"), "{error}");
        assert!(key.trim().is_empty() || !error.to_string().contains(key.trim()), "{error}");
    }
}

#[test]
fn debug_output_hides_the_key() {
    let chat = Chat::new("m", ApiKey::new("sk-secret", "OPENAI_API_KEY")).unwrap();
    let printed = format!("{chat:?} {chat:#?}");
    assert!(printed.contains("OPENAI_API_KEY") && !printed.contains("sk-secret"), "{printed}");
}

#[tokio::test]
async fn list_timeout_error_names_its_path() {
    let soon = Duration::from_millis(100);
    let chat = brief(Server::holding("").chat(), |timeouts| timeouts.whole = soon);
    let error = chat.models().await.unwrap_err();
    assert!(error.to_string().contains("/v1/models did not answer within 0.1 s"), "{error}");
}

/// A conversation with a batch of two calls and their results.
fn called() -> Request {
    let call = |id: &str, opaque: Option<&str>| {
        ContentPart::Call(NativeCall {
            id: id.to_owned(),
            name: "docs.search".to_owned(),
            args: "{\"q\": 1.0}".to_owned(),
            opaque: opaque.map(str::to_owned),
        })
    };
    let result = |id: &str, is_error: bool| {
        let (id, name, text) = (id.to_owned(), "docs.search".to_owned(), "found".to_owned());
        ContentPart::Result(NativeResult { id, name, text, is_error })
    };
    let thought =
        ContentPart::Opaque(r#"{"type":"thinking","thinking":"hm","signature":"s"}"#.to_owned());
    let said =
        [thought, ContentPart::Text("I look.".to_owned()), call("c1", None), call("c2", None)];
    let back = [result("c1", false), result("c2", true), ContentPart::Text("And now?".to_owned())];
    let messages = vec![
        Message::user("hi"),
        Message::assistant(said.into_iter().collect::<Content>()),
        Message::user(back.into_iter().collect::<Content>()),
    ];
    Request::new(messages)
}

fn declared() -> Arc<[ToolDeclaration]> {
    let schema = r#"{"type":"object","properties":{"q":{"type":"number"}}}"#;
    [ToolDeclaration::new("docs.search", "Searches.", schema)].into()
}

async fn sent(model: &dyn Provider, server: &Server, request: Request) -> Value {
    futures_util::StreamExt::count(model.stream(request)).await;
    received(server).2
}

#[tokio::test]
async fn tools_calls_and_results_follow_chat_completions() {
    let server = server();
    let body = sent(&server.chat(), &server, called().with_tools(declared())).await;
    let name = declared()[0].vendor_name().into_owned();
    let schema = json!({"type": "object", "properties": {"q": {"type": "number"}}});
    let function = json!({"name": name, "description": "Searches.", "parameters": schema});
    assert_eq!(body["tools"], json!([{"type": "function", "function": function}]));
    let call = |id: &str| {
        let function = json!({"name": name, "arguments": "{\"q\": 1.0}"});
        json!({"id": id, "type": "function", "function": function})
    };
    let expected = json!([
        {"role": "user", "content": "hi"},
        {"role": "assistant", "content": "I look.", "tool_calls": [call("c1"), call("c2")]},
        {"role": "tool", "tool_call_id": "c1", "content": "found"},
        {"role": "tool", "tool_call_id": "c2", "content": "found"},
        {"role": "user", "content": "And now?"},
    ]);
    assert_eq!(body["messages"], expected);
}

#[tokio::test]
async fn tools_calls_and_results_follow_messages() {
    let server = server();
    let key = ApiKey::new("sk-test", "ANTHROPIC_API_KEY");
    let model = Messages::new("m", key).unwrap().with_base(&server.url()).unwrap();
    let body = sent(&model, &server, called().with_tools(declared())).await;
    let name = declared()[0].vendor_name().into_owned();
    let schema = json!({"type": "object", "properties": {"q": {"type": "number"}}});
    let tool = json!({"name": name, "description": "Searches.", "input_schema": schema});
    assert_eq!(body["tools"], json!([tool]));
    let call = |id: &str| json!({"type": "tool_use", "id": id, "name": name, "input": {"q": 1.0}});
    let result = |id: &str| json!({"type": "tool_result", "tool_use_id": id, "content": "found"});
    let mut failed = result("c2");
    failed["is_error"] = json!(true);
    let expected = json!([
        {"role": "user", "content": [{"type": "text", "text": "hi"}]},
        {"role": "assistant", "content": [
            {"type": "thinking", "thinking": "hm", "signature": "s"},
            {"type": "text", "text": "I look."},
            call("c1"),
            call("c2"),
        ]},
        {"role": "user", "content": [result("c1"), failed, {"type": "text", "text": "And now?"}]},
    ]);
    assert_eq!(body["messages"], expected);
}

#[tokio::test]
async fn without_tools_calls_and_results_are_text() {
    let server = server();
    let body = sent(&server.chat(), &server, called()).await;
    assert_eq!(body["tools"], Value::Null);
    let messages = body["messages"].as_array().unwrap();
    assert_eq!(messages.len(), 3);
    let said = messages[1]["content"].as_str().unwrap();
    assert!(said.contains("docs.search") && !said.contains("signature"), "{said}");
    assert!(messages[2]["content"].as_str().unwrap().contains("found"));
}

#[tokio::test]
async fn chat_completions_reasoning_returns_only_with_calls() {
    let server = server();
    let mut request = called().with_tools(declared());
    let kept = r#"{"reasoning_content":"hm","model":"other"}"#.to_owned();
    let said: Content = [ContentPart::Opaque(kept.clone()), ContentPart::Text("Hello.".to_owned())]
        .into_iter()
        .collect();
    let called = request.messages[1].content.parts().iter();
    let called = called.filter(|part| !matches!(part, ContentPart::Opaque(_))).cloned();
    let called: Content = [ContentPart::Opaque(kept)].into_iter().chain(called).collect();
    let messages = vec![
        Message::user("hi"),
        Message::assistant(said),
        Message::user("Look."),
        Message::assistant(called),
        request.messages[2].clone(),
    ];
    request.messages = messages.into();
    let body = sent(&server.chat(), &server, request).await;
    let messages = body["messages"].as_array().unwrap();
    assert_eq!(messages[1], json!({"role": "assistant", "content": "Hello."}));
    assert_eq!(messages[3]["reasoning_content"], "hm");
    assert_eq!(messages[3]["tool_calls"].as_array().unwrap().len(), 2);
    // A server's text does not become another field of the request.
    assert_eq!(messages[3]["model"], Value::Null);
}

#[tokio::test]
async fn tools_calls_and_results_are_steps_of_interactions() {
    let server = server();
    let key = ApiKey::new("sk-test", "GEMINI_API_KEY");
    let model = Interactions::new("m", key).unwrap().with_base(&server.url()).unwrap();
    let body = sent(&model, &server, called().with_tools(declared())).await;
    let name = declared()[0].vendor_name().into_owned();
    let schema = json!({"type": "object", "properties": {"q": {"type": "number"}}});
    let tool = json!({"type": "function", "name": name, "description": "Searches.",
        "parameters": schema});
    assert_eq!(body["tools"], json!([tool]));
    let step =
        |kind: &str, text: &str| json!({"type": kind, "content": [{"type": "text", "text": text}]});
    let call = |id: &str| json!({"type": "function_call", "id": id, "name": name, "arguments": {"q": 1.0}});
    let result = |id: &str| json!({"type": "function_result", "call_id": id, "name": name, "result": "found"});
    let mut failed = result("c2");
    failed["is_error"] = json!(true);
    let expected = json!([
        step("user_input", "hi"),
        {"type": "thinking", "thinking": "hm", "signature": "s"},
        step("model_output", "I look."),
        call("c1"),
        call("c2"),
        result("c1"),
        failed,
        step("user_input", "And now?"),
    ]);
    assert_eq!(body["input"], expected);

    // Calls of another model have the documented stand-in for a signature.
    let mut request = called().with_tools(declared());
    let foreign = request.messages[1].content.parts().iter().skip(1).cloned();
    let foreign = Message::assistant(foreign.collect::<Content>());
    request.messages = vec![Message::user("hi"), foreign, request.messages[2].clone()].into();
    let body = sent(&model, &server, request).await;
    assert_eq!(body["input"][2]["signature"], "skip_thought_signature_validator");
    assert_eq!(body["input"][3]["signature"], Value::Null);
}

#[tokio::test]
async fn responses_text_returns_with_its_phase() {
    let server = server();
    let key = ApiKey::new("sk-test", "OPENAI_API_KEY");
    let model = Responses::new("m", key).unwrap().with_base(&server.url()).unwrap();
    let mut request = called().with_tools(declared());
    let phase = ContentPart::Opaque(r#"{"phase":"commentary"}"#.to_owned());
    let parts = [phase, ContentPart::Text("I look.".to_owned())].into_iter();
    let call = ContentPart::Call(NativeCall {
        id: "c1".to_owned(),
        name: "look".to_owned(),
        args: "{}".to_owned(),
        opaque: None,
    });
    let said = Message::assistant(parts.chain([call]).collect::<Content>());
    request.messages = vec![Message::user("hi"), said, request.messages[2].clone()].into();
    let body = sent(&model, &server, request).await;
    let text = json!({
        "type": "message", "role": "assistant", "content": "I look.", "phase": "commentary",
    });
    assert_eq!(body["input"][1], text);
    assert_eq!(body["input"][2]["type"], "function_call");
}
