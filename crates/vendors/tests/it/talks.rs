//! Responses over a WebSocket: the requests, and the responses that the server remembers.

use serde_json::{Value, json};
use silcrow_event::{Content, ContentPart, Message, NativeCall, NativeResult, Role};
use silcrow_provider::{Delta, ErrorKind, FinishReason, Provider as _, Session, ToolDeclaration};
use silcrow_vendors::{ApiKey, Responses};

use crate::prefixes::valid;
use crate::server::long;
use crate::socket::{Line, Wire};
use crate::talk::request;
use crate::wire::SECRET;

fn responses(wire: &Wire) -> Responses {
    let model = Responses::new("m", ApiKey::new(SECRET, "THE_KEY")).unwrap();
    model.with_base(&wire.url()).unwrap().with_timeouts(long())
}

/// A conversation that has asked, with the texts of the system and a person.
async fn opened(wire: &Wire) -> Box<dyn Session> {
    responses(wire).connect(request()).unwrap().await.unwrap()
}

/// A person's message.
pub(crate) fn user(text: &str) -> [Message; 1] {
    [Message::new(Role::User, text)]
}

/// The rest of the answer: its text, and why it ended.
pub(crate) async fn rest(session: &mut dyn Session) -> (String, Result<FinishReason, ErrorKind>) {
    let mut text = String::new();
    loop {
        match session.receive().await.expect("an end") {
            Ok(Delta::Text(piece)) => text.push_str(&piece),
            Ok(Delta::Done(finish)) => return (text, Ok(finish)),
            Ok(_) => {}
            Err(error) => return (text, Err(error.kind())),
        }
    }
}

/// An answer of this name, with this text, up to its end.
async fn answer(line: &mut Line, id: &str, text: &str) {
    let response = json!({"id": id, "status": "completed", "usage": {"input_tokens": 1}});
    line.send_events(&format!(r#"{{"type":"response.created","response":{{"id":"{id}"}}}}"#)).await;
    let delta = json!({"type": "response.output_text.delta", "item_id": "i", "delta": text});
    line.send_events(&delta.to_string()).await;
    line.send_events(&json!({"type": "response.completed", "response": response}).to_string())
        .await;
}

/// Roles and texts of a question.
fn inputs(event: &Value) -> Vec<(&str, &str)> {
    let items = event["input"].as_array().unwrap().iter();
    items
        .map(|item| {
            let text = item["content"].as_str().or_else(|| item["content"][0]["text"].as_str());
            (item["role"].as_str().unwrap(), text.unwrap())
        })
        .collect()
}

#[tokio::test]
async fn only_new_input_follows_the_previous_response() {
    let wire = Wire::start(|mut line| async move {
        for (id, text) in [("r1", "§one\n"), ("r2", "§two\nmore"), ("r3", "x"), ("r4", "y")] {
            if line.receive().await.is_null() {
                return;
            }
            answer(&mut line, id, text).await;
        }
    })
    .await;
    let mut session = opened(&wire).await;
    assert_eq!(rest(&mut *session).await, ("§one\n".into(), Ok(FinishReason::Stop)));
    session.cancel().await.unwrap();
    session.send(&"§one".into(), &user("two")).await.unwrap();
    // Deltas of a cancelled answer are not emitted.
    session.cancel().await.unwrap();
    session.send(&"§two".into(), &user("three")).await.unwrap();
    assert_eq!(rest(&mut *session).await.0, "x");
    session.send(&"x".into(), &user("four")).await.unwrap();
    assert_eq!(rest(&mut *session).await.0, "y");
    assert!(session.receive().await.is_none());
    session.close().await;

    let head = wire.heads.lock().unwrap().concat();
    assert!(head.starts_with("/v1/responses ") && head.contains(SECRET), "{head}");
    let sent = wire.take();
    assert_eq!(sent.len(), 4);
    for event in &sent {
        assert_eq!(event["type"], "response.create");
        assert_eq!(event["model"], "m");
        assert_eq!(event["store"], false);
        assert_eq!(event["instructions"], Value::Null);
        assert_eq!(event["stream"], Value::Null);
    }
    let previous: Vec<_> = sent.iter().map(|event| event["previous_response_id"].clone()).collect();
    assert_eq!(previous, [Value::Null, "r1".into(), "r1".into(), "r3".into()]);
    // A response passes on the items before it, and so the instructions, which are one.
    assert_eq!(inputs(&sent[0]), [("system", "sys"), ("user", "hi")]);
    assert_eq!(inputs(&sent[1]), [("user", "two")]);
    assert_eq!(inputs(&sent[2]), [("user", "two"), ("assistant", "§two"), ("user", "three")]);
    assert_eq!(inputs(&sent[3]), [("user", "four")]);
    sent.iter().for_each(|event| valid(&event["input"]));
}

#[tokio::test]
async fn session_resends_everything_after_an_unusable_first_response() {
    for (ends, status) in [("more", "completed"), ("", "incomplete")] {
        let wire = Wire::start(move |mut line| async move {
            line.receive().await;
            let text = format!("one {ends}");
            let delta = json!({"type": "response.output_text.delta", "delta": text});
            line.send_events(&delta.to_string()).await;
            let response = json!({"id": "r1", "status": status});
            line.send_events(
                &json!({"type": "response.completed", "response": response}).to_string(),
            )
            .await;
            line.receive().await;
            answer(&mut line, "r2", "two").await;
            line.receive().await;
            answer(&mut line, "r3", "three").await;
        })
        .await;
        let mut session = opened(&wire).await;
        assert!(rest(&mut *session).await.1.is_ok());
        session.send(&"one".into(), &user("next")).await.unwrap();
        assert_eq!(rest(&mut *session).await.0, "two");
        // No part of it counts, not even blanks.
        session.send(&" ".into(), &user("last")).await.unwrap();
        assert_eq!(rest(&mut *session).await.0, "three");
        let sent = wire.take();
        let next = [("system", "sys"), ("user", "hi"), ("assistant", "one"), ("user", "next")];
        assert_eq!(inputs(&sent[1]), next);
        assert_eq!(inputs(&sent[2]), [&next[..], &[("user", "last")]].concat());
        for event in sent {
            assert_eq!(event["previous_response_id"], Value::Null);
        }
    }
}

#[tokio::test]
async fn forgotten_response_fails_the_send() {
    let error = json!({"type": "invalid_request_error", "message": "gone",
        "code": "previous_response_not_found", "param": null});
    let nested = json!({"type": "error", "status": 400, "error": error});
    let flat = json!({"type": "error", "code": "previous_response_not_found", "message": "gone"});
    for event in [nested, flat] {
        let event = event.to_string();
        let wire = Wire::start(move |mut line| {
            let event = event.clone();
            async move {
                line.receive().await;
                answer(&mut line, "r1", "one").await;
                line.receive().await;
                line.send_events(&event).await;
                line.receive().await;
            }
        })
        .await;
        let mut session = opened(&wire).await;
        assert_eq!(rest(&mut *session).await.0, "one");
        let error = session.send(&"one".into(), &user("two")).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Network, "{error}");
        assert!(error.sent() > 0);
        // It is of no use any more, and says so.
        assert!(session.receive().await.is_none());
        assert!(session.cancel().await.is_err());
        assert!(session.send(&"one".into(), &user("two")).await.is_err());
    }
}

#[tokio::test]
async fn errors_over_it_have_their_kind() {
    use ErrorKind::{Auth, ContextTooLong, Network, Overload, Rate, Refused};
    for (status, kind, code, expected) in [
        (400, "invalid_request_error", "websocket_connection_limit_reached", Network),
        (400, "invalid_request_error", "context_length_exceeded", ContextTooLong),
        (400, "invalid_request_error", "unknown_parameter", Refused),
        (401, "invalid_request_error", "invalid_api_key", Auth),
        (429, "too_many", "slow_down", Rate),
        (429, "tokens", "insufficient_quota", Refused),
        (500, "server_error", "", Overload),
        (503, "", "", Overload),
    ] {
        let error = json!({"type": kind, "code": code, "message": "m"});
        let event = json!({"type": "error", "status": status, "error": error}).to_string();
        let wire = Wire::start(move |mut line| {
            let event = event.clone();
            async move {
                line.receive().await;
                line.send_events(r#"{"type":"response.created","response":{"id":"r"}}"#).await;
                line.send_events(&event).await;
                line.receive().await;
            }
        })
        .await;
        let mut session = opened(&wire).await;
        assert_eq!(rest(&mut *session).await, (String::new(), Err(expected)), "{code}");
    }
}

#[tokio::test]
async fn endless_answer_ends_the_session() {
    let wire = Wire::start(|mut line| async move {
        line.receive().await;
        let text = "x".repeat(10_000);
        let delta = json!({"type": "response.output_text.delta", "delta": text});
        let delta = tokio_tungstenite::tungstenite::Message::text(delta.to_string());
        use futures_util::SinkExt as _;
        while line.frames.send(delta.clone()).await.is_ok() {}
    })
    .await;
    let mut session = opened(&wire).await;
    assert!(matches!(session.receive().await, Some(Ok(Delta::Text(_)))));
    session.cancel().await.unwrap();
    assert!(session.receive().await.is_none());
    let error = session.send(&"".into(), &user("next")).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Network, "{error}");
    assert!(error.to_string().contains("does not stop"), "{error}");
    assert!(session.cancel().await.is_err());
}

#[tokio::test]
async fn connection_is_retired_before_its_server_limit() {
    let wire = Wire::start(|mut line| async move {
        for id in ["r1", "r2"] {
            line.receive().await;
            answer(&mut line, id, "one").await;
        }
        line.receive().await;
    })
    .await;
    let mut session = opened(&wire).await;
    assert_eq!(rest(&mut *session).await.0, "one");
    let minutes = |count: u64| async move {
        tokio::time::pause();
        tokio::time::advance(std::time::Duration::from_secs(60 * count)).await;
        tokio::time::resume();
    };
    minutes(54).await;
    session.send(&"one".into(), &user("two")).await.unwrap();
    assert_eq!(rest(&mut *session).await.0, "one");
    minutes(1).await;
    let error = session.send(&"one".into(), &user("three")).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Network);
    assert!(error.to_string().contains("open another"), "{error}");
}

#[tokio::test]
async fn calls_are_followed_by_their_results_alone() {
    let wire = Wire::start(|mut line| async move {
        for (id, called) in [("r1", true), ("r2", true), ("r3", false)] {
            if line.receive().await.is_null() {
                return;
            }
            if called {
                let item = json!({"type": "function_call", "id": format!("fc_{id}"),
                    "call_id": format!("call_of_{id}"), "name": "look", "arguments": "{}"});
                let done = json!({"type": "response.output_item.done", "item": item});
                line.send_events(&done.to_string()).await;
            }
            answer(&mut line, id, "I look.").await;
        }
    })
    .await;
    let tools = [ToolDeclaration::new("look", "Looks.", "{}")].into();
    let asked = request().with_tools(tools);
    let mut session = responses(&wire).connect(asked).unwrap().await.unwrap();
    assert_eq!(rest(&mut *session).await.1, Ok(FinishReason::Stop));
    let called = |id: &str| -> Content {
        let (id, name, args) = (id.to_owned(), "look".to_owned(), "{}".to_owned());
        let call = ContentPart::Call(NativeCall { id, name, args, opaque: None });
        [ContentPart::Text("I look.".to_owned()), call].into_iter().collect()
    };
    let result = |id: &str| {
        let (id, name, text) = (id.to_owned(), "look".to_owned(), "found".to_owned());
        let result = NativeResult { id, name, text, is_error: false };
        [Message::user(Content::from(ContentPart::Result(result)))]
    };
    session.send(&called("call_of_r1"), &result("call_of_r1")).await.unwrap();
    assert_eq!(rest(&mut *session).await.1, Ok(FinishReason::Stop));
    // The log keeps the call under another id, so all of it is sent again.
    session.send(&called("call_2_b"), &result("call_2_b")).await.unwrap();
    assert_eq!(rest(&mut *session).await.1, Ok(FinishReason::Stop));
    session.close().await;

    let sent = wire.take();
    let kinds = |event: &Value| -> Vec<String> {
        let items = event["input"].as_array().unwrap().iter();
        items.map(|item| item["type"].as_str().unwrap().to_owned()).collect()
    };
    for event in &sent {
        assert_eq!(event["tools"][0]["name"], "look", "a response does not pass them on");
        assert_eq!(event["include"], json!(["reasoning.encrypted_content"]));
    }
    assert_eq!(kinds(&sent[0]), ["message", "message"]);
    assert_eq!(
        (&sent[1]["previous_response_id"], kinds(&sent[1])),
        (&json!("r1"), vec!["function_call_output".to_owned()])
    );
    assert_eq!(sent[1]["input"][0]["call_id"], "call_of_r1");
    assert_eq!(sent[2]["previous_response_id"], "r1");
    let again = ["function_call_output", "message", "function_call", "function_call_output"];
    assert_eq!(kinds(&sent[2]), again);
}
