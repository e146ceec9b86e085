//! Interactions: the fields of requests, and sessions that send only new messages.

use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};
use silcrow_event::{Content, ContentPart, Message, NativeCall, NativeResult, Role};
use silcrow_provider::{
    Delta, Error, ErrorKind, FinishReason, Provider as _, Request, Session, ToolDeclaration,
};
use silcrow_vendors::{ApiKey, Interactions};

use crate::server::{Server, answer, ask, events, long, wait_for_close, write};
use crate::wire::{Api, SECRET, interaction};

fn model(server: &Server) -> Interactions {
    let model = Interactions::new("models/m", ApiKey::new(SECRET, "K")).unwrap();
    model.with_base(&server.url()).unwrap()
}

/// Plays each answer to the connection of its number.
fn playing(answers: impl IntoIterator<Item = String>) -> Server {
    let answers: Vec<_> = answers.into_iter().collect();
    let next = AtomicUsize::new(0);
    Server::start(move |mut socket| {
        let answer = &answers[next.fetch_add(1, Ordering::Relaxed)];
        write(&mut socket, answer.as_bytes(), usize::MAX);
    })
}

/// A stream of `text` that the server keeps under `id`.
fn kept_answer(text: &str, id: &str) -> String {
    events(&(Api::Interactions.text(text) + &interaction(id, "completed", "")))
}

fn body(server: &Server) -> Value {
    let request = server.requests.try_recv().expect("another request");
    serde_json::from_str(request.split_once("\r\n\r\n").unwrap().1).unwrap()
}

fn step(r#type: &str, text: &str) -> Value {
    json!({"type": r#type, "content": [{"type": "text", "text": text}]})
}

fn user(text: &str) -> Message {
    Message::new(Role::User, text)
}

fn request() -> Request {
    Request::new(vec![Message::new(Role::System, "Speak."), user("hi")])
}

/// Returns the text and the end of the current answer.
async fn received(session: &mut dyn Session) -> (String, Option<Result<FinishReason, ErrorKind>>) {
    let mut text = String::new();
    while let Some(item) = session.receive().await {
        match item {
            Ok(Delta::Text(piece)) => text.push_str(&piece),
            Ok(Delta::Done(finish)) => return (text, Some(Ok(finish))),
            Ok(_) => {}
            Err(error) => return (text, Some(Err(error.kind()))),
        }
    }
    (text, None)
}

async fn open(server: &Server) -> Result<Box<dyn Session>, Error> {
    model(server).connect(request()).unwrap().await
}

fn stopped() -> Option<Result<FinishReason, ErrorKind>> {
    Some(Ok(FinishReason::Stop))
}

#[tokio::test]
async fn streaming_sends_everything_and_stores_nothing() {
    let server = Server::playing(kept_answer("a", "i1"), usize::MAX);
    let messages =
        [request().messages.to_vec(), vec![Message::new(Role::Assistant, "b"), user("and?")]];
    let model = model(&server).with_max_tokens(9).with_temperature(0.5);
    let asked = Request::new(messages.concat());
    futures_util::StreamExt::count(model.stream(asked)).await;
    let request = server.requests.try_recv().unwrap();
    let (head, body) = request.split_once("\r\n\r\n").unwrap();
    assert!(head.starts_with("POST /v1/interactions HTTP/1.1\r\n"), "{head}");
    assert!(head.contains(&format!("x-goog-api-key: {SECRET}\r\n")), "{head}");
    assert!(head.contains("api-revision: 2026-05-20\r\n"), "{head}");
    let expected = json!({
        "model": "m",
        "stream": true,
        "store": false,
        "generation_config": {"max_output_tokens": 9, "temperature": 0.5},
        "system_instruction": "Speak.",
        "input": [step("user_input", "hi"), step("model_output", "b"), step("user_input", "and?")],
    });
    assert_eq!(serde_json::from_str::<Value>(body).unwrap(), expected);
    assert_eq!(model.name(), "gemini-interactions:models/m");
    assert!(!format!("{model:?}").contains("canary"));
}

#[tokio::test]
async fn complete_answer_is_followed_by_new_input_only() {
    let server = playing([
        kept_answer("a§execute\\n ", "i1"),
        kept_answer("b", "i2"),
        kept_answer("c", "i3"),
    ]);
    let mut session = open(&server).await.unwrap();
    assert_eq!(received(&mut *session).await, ("a§execute\n ".to_owned(), stopped()));
    assert!(session.receive().await.is_none());
    // White space makes no difference: the log writes some of it in its own way.
    for (kept, new, text) in [("a\n§execute", "r1", "b"), ("b", "r2", "c")] {
        session.cancel().await.unwrap();
        session.send(&kept.into(), &[user(new)]).await.unwrap();
        assert_eq!(received(&mut *session).await, (text.to_owned(), stopped()));
    }
    let first = json!({"model": "m", "stream": true, "store": true,
        "system_instruction": "Speak.", "input": [step("user_input", "hi")]});
    assert_eq!(body(&server), first);
    for (id, new) in [("i1", "r1"), ("i2", "r2")] {
        let next = json!({"model": "m", "stream": true, "store": true,
            "system_instruction": "Speak.", "previous_interaction_id": id,
            "input": [step("user_input", new)]});
        assert_eq!(body(&server), next);
    }
    session.close().await;
}

#[tokio::test]
async fn partial_answer_is_not_used_as_previous() {
    let unkept = events(&(Api::Interactions.text("c") + &interaction("i3", "incomplete", "")));
    let half = events(&Api::Interactions.text("d"));
    let server = playing([
        kept_answer("a, b", "i1"),
        kept_answer("b", "i2"),
        unkept,
        half,
        kept_answer("e", "i5"),
    ]);
    let mut session = open(&server).await.unwrap();
    received(&mut *session).await;
    // The model wrote more than `a`: the first input is sent again, because it follows no other.
    session.send(&"a".into(), &[user("r1")]).await.unwrap();
    assert_eq!(received(&mut *session).await.0, "b");
    session.send(&"b".into(), &[user("r2")]).await.unwrap();
    assert_eq!(received(&mut *session).await, ("c".to_owned(), Some(Ok(FinishReason::Length))));
    // The third did not complete, and the fourth is left in the middle.
    session.send(&"c".into(), &[user("r3")]).await.unwrap();
    assert_eq!(session.receive().await.unwrap().unwrap(), Delta::Text("d".to_owned()));
    session.cancel().await.unwrap();
    assert!(session.receive().await.is_none());
    session.send(&"d".into(), &[user("r4")]).await.unwrap();
    assert_eq!(received(&mut *session).await.0, "e");

    let inputs = |body: Value| (body["previous_interaction_id"].clone(), body["input"].clone());
    let (user, model) = (|text| step("user_input", text), |text| step("model_output", text));
    assert_eq!(inputs(body(&server)), (Value::Null, json!([user("hi")])));
    assert_eq!(inputs(body(&server)), (Value::Null, json!([user("hi"), model("a"), user("r1")])));
    assert_eq!(inputs(body(&server)), (json!("i2"), json!([user("r2")])));
    let third = json!([user("r2"), model("c"), user("r3")]);
    assert_eq!(inputs(body(&server)), (json!("i2"), third));
    let fourth = json!([user("r2"), model("c"), user("r3"), model("d"), user("r4")]);
    assert_eq!(inputs(body(&server)), (json!("i2"), fourth));
}

#[tokio::test]
async fn answer_continues_past_the_request_limit() {
    let part = |text, id, token: &str| {
        let more = format!(r#","continuation_token":"{token}""#);
        let end = interaction(id, "requires_continuation", &more);
        events(&(Api::Interactions.text(text) + &end))
    };
    let answers = || [part("a", "i1", "t1"), part("b", "i2", "t2"), kept_answer("c", "i3")];
    let server = playing(answers());
    let given = ask(&model(&server), true).await;
    assert_eq!((&*given.text, given.finish), ("abc", Some(FinishReason::Stop)));
    assert_eq!(given.usage, Some((36, 9, 15)));
    for token in [Value::Null, json!("t1"), json!("t2")] {
        let body = body(&server);
        assert_eq!((&body["continuation_token"], &body["store"]), (&token, &json!(false)));
        assert_eq!(body["input"], json!([step("user_input", "hi")]), "nothing was kept");
        assert_eq!(body["previous_interaction_id"], Value::Null);
    }

    let server = playing(answers().into_iter().chain([kept_answer("d", "i4")]));
    let mut session = open(&server).await.unwrap();
    assert_eq!(received(&mut *session).await, ("abc".to_owned(), stopped()));
    session.send(&"abc".into(), &[user("r")]).await.unwrap();
    body(&server);
    for (token, id) in [("t1", "i1"), ("t2", "i2")] {
        let body = body(&server);
        assert_eq!(body["continuation_token"], token);
        assert_eq!(body["previous_interaction_id"], id);
        assert_eq!(body.get("input"), None, "the server knows it");
    }
    let next = body(&server);
    assert_eq!(next["previous_interaction_id"], "i3");
    assert_eq!(next.get("continuation_token"), None);

    // A server that makes no progress is not asked forever.
    for answers in [
        [part("a", "i1", "t"), part("b", "i2", "t")],
        [part("a", "i1", "t1"), part("", "i2", "t2")],
    ] {
        let given = ask(&model(&playing(answers)), true).await;
        assert_eq!(given.finish, Some(FinishReason::Length));
    }
}

#[tokio::test]
async fn forgotten_interaction_is_a_request_error() {
    let gone =
        r#"{"error":{"code":404,"message":"interaction i1 not found","status":"NOT_FOUND"}}"#;
    let gone = answer("404 Not Found", "application/json", gone);
    let slow =
        "HTTP/1.1 429 Slow\r\nRetry-After: 2\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
            .to_owned();
    let server = playing([slow, kept_answer("a", "i1"), gone]);
    let refused = open(&server).await.map(drop).unwrap_err();
    assert_eq!((refused.kind(), refused.retry_after().unwrap().as_secs()), (ErrorKind::Rate, 2));
    let mut session = open(&server).await.unwrap();
    received(&mut *session).await;
    let error = session.send(&"a".into(), &[user("r")]).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Network);
    assert!(error.to_string().contains("i1 not found"), "{error}");
    assert_ne!(error.sent(), 0);
}

#[tokio::test]
async fn error_or_cut_keeps_the_answer_text() {
    for (end, kind) in [(Api::Interactions.overload(), "overload"), (String::new(), "cut")] {
        let server = playing([events(&(Api::Interactions.text("a") + &end))]);
        let mut session = open(&server).await.unwrap();
        let (text, ended) = received(&mut *session).await;
        assert_eq!((&*text, ended.unwrap().unwrap_err().as_str()), ("a", kind));
        assert!(session.receive().await.is_none());
    }
}

#[tokio::test]
async fn silence_times_out_and_cancelling_closes() {
    let silent = Server::holding("");
    let timeouts = long().with_first(std::time::Duration::from_millis(100));
    let model = model(&silent).with_timeouts(timeouts);
    let error = model.connect(request()).unwrap().await.map(drop).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Timeout);
    assert!(error.to_string().contains("`first`"), "{error}");

    let (closed, seen) = std::sync::mpsc::channel();
    let server = Server::start(move |mut socket| {
        write(&mut socket, events(&Api::Interactions.text("a")).as_bytes(), usize::MAX);
        wait_for_close(&mut socket);
        closed.send(()).unwrap();
    });
    let mut session = open(&server).await.unwrap();
    assert_eq!(session.receive().await.unwrap().unwrap(), Delta::Text("a".to_owned()));
    session.cancel().await.unwrap();
    let seen =
        tokio::task::spawn_blocking(move || seen.recv_timeout(std::time::Duration::from_secs(10)));
    assert_eq!(seen.await.unwrap(), Ok(()));
}

#[tokio::test]
async fn results_follow_an_answer_with_calls() {
    let call = |id: &str, name: &str| {
        let start = json!({"event_type": "step.start", "step":
            {"type": "function_call", "id": id, "name": name, "arguments": {"a": 1}}});
        let stop = json!({"event_type": "step.stop"});
        format!("data: {start}\n\ndata: {stop}\n\n")
    };
    let called = call("c1", "look") + &interaction("i1", "requires_action", "");
    let server = playing([events(&called), kept_answer("a", "i2"), kept_answer("b", "i3")]);
    let tools = [ToolDeclaration::new("look", "Looks.", "{}")].into();
    let asked = request().with_tools(tools);
    let mut session = model(&server).connect(asked).unwrap().await.unwrap();
    let called = received(&mut *session).await;
    assert_eq!(called, (String::new(), Some(Ok(FinishReason::ToolUse))));
    let call = |id: &str| -> Content {
        let (id, name, args) = (id.to_owned(), "look".to_owned(), r#"{"a":1}"#.to_owned());
        ContentPart::Call(NativeCall { id, name, args, opaque: None }).into()
    };
    let result = |id: &str| {
        let (id, name, text) = (id.to_owned(), "look".to_owned(), "found".to_owned());
        Message::user(Content::from(ContentPart::Result(NativeResult {
            id,
            name,
            text,
            is_error: false,
        })))
    };
    session.send(&call("c1"), &[result("c1")]).await.unwrap();
    assert_eq!(received(&mut *session).await.0, "a");
    // A call under another id is not the one that the server keeps.
    session.send(&call("other"), &[result("other")]).await.unwrap();
    assert_eq!(received(&mut *session).await.0, "b");
    let _ = body(&server);
    let step =
        json!({"type": "function_result", "call_id": "c1", "name": "look", "result": "found"});
    let next = body(&server);
    assert_eq!((&next["previous_interaction_id"], &next["input"]), (&json!("i1"), &json!([step])));
    assert_eq!(next["tools"].as_array().unwrap().len(), 1, "the server does not keep them");
    let again = body(&server);
    assert_eq!(again["previous_interaction_id"], "i1");
    let kinds: Vec<_> =
        again["input"].as_array().unwrap().iter().map(|step| step["type"].clone()).collect();
    assert_eq!(kinds, ["function_result", "function_call", "function_result"]);
}
