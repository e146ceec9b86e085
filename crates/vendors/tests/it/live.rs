//! Gemini's Live: turns, their ends, and answers that cannot be forgotten.

use futures_util::StreamExt as _;
use serde_json::json;
use silcrow_event::{self as event, Role};
use silcrow_provider::{ErrorKind, FinishReason, Provider as _, Request, Session};
use silcrow_vendors::{ApiKey, Live};
use tokio_tungstenite::tungstenite::Message;

use crate::server::long;
use crate::socket::{Line, Wire};
use crate::talk::request;
use crate::talks::{rest, user};
use crate::wire::SECRET;

fn model(wire: &Wire) -> Live {
    let model = Live::new("models/m", ApiKey::new(SECRET, "THE_KEY")).unwrap();
    model.with_base(&wire.url()).unwrap().with_timeouts(long())
}

async fn opened(wire: &Wire) -> Box<dyn Session> {
    model(wire).connect(request()).unwrap().await.unwrap()
}

/// Sets the server up and receives the first question.
async fn begin(line: &mut Line) {
    line.receive().await;
    line.send_events(r#"{"setupComplete":{}}"#).await;
    line.receive().await;
}

async fn answer(line: &mut Line, text: &str) {
    let turn = json!({"parts": [{"text": "hm", "thought": true}, {"text": text}]});
    line.send_events(&json!({"serverContent": {"modelTurn": turn}}).to_string()).await;
    line.send_events(r#"{"serverContent":{"generationComplete":true}}"#).await;
    line.send_events(r#"{"serverContent":{"turnComplete":true}}"#).await;
}

#[tokio::test]
async fn only_new_turns_are_sent() {
    let wire = Wire::start(|mut line| async move {
        begin(&mut line).await;
        answer(&mut line, "one\n").await;
        line.receive().await;
        answer(&mut line, "two and more").await;
        line.receive().await;
    })
    .await;
    let mut messages = request().messages;
    messages.extend([
        event::Message::new(Role::Assistant, "earlier"),
        event::Message::new(Role::User, "now"),
    ]);
    let opening = model(&wire).with_max_tokens(9).with_temperature(0.5);
    let mut session = opening.connect(Request::new(messages)).unwrap().await.unwrap();
    assert_eq!(rest(&mut *session).await, ("one\n".into(), Ok(FinishReason::Stop)));
    session.send(&"one".into(), &user("next")).await.unwrap();
    assert_eq!(rest(&mut *session).await.0, "two and more");
    let error = session.send(&"two".into(), &user("last")).await.unwrap_err();
    assert!(error.to_string().contains("cannot forget"), "{error}");

    let head = wire.heads.lock().unwrap().concat();
    let path = "/ws/google.ai.generativelanguage.v1.GenerativeService.BidiGenerateContent ";
    assert!(head.starts_with(path) && head.contains(SECRET), "{head}");
    let turn = |role: &str, text: &str| json!({"role": role, "parts": [{"text": text}]});
    let turns = [turn("user", "hi"), turn("model", "earlier"), turn("user", "now")];
    assert_eq!(
        wire.take(),
        [
            json!({"setup": {
                "model": "models/m",
                "generationConfig":
                    {"responseModalities": ["TEXT"], "maxOutputTokens": 9, "temperature": 0.5},
                "systemInstruction": {"parts": [{"text": "sys"}]},
            }}),
            json!({"clientContent": {"turns": turns, "turnComplete": true}}),
            json!({"clientContent": {"turns": [turn("user", "next")], "turnComplete": true}}),
        ]
    );
}

#[tokio::test]
async fn finish_reasons_are_mapped() {
    for (content, expected) in [
        (json!({}), Ok(FinishReason::Stop)),
        (json!({"turnCompleteReason": "STOP"}), Ok(FinishReason::Stop)),
        (json!({"turnCompleteReason": "MAX_TOKENS"}), Ok(FinishReason::Length)),
        (json!({"turnCompleteReason": "RESPONSE_SAFETY"}), Ok(FinishReason::Filter)),
        (json!({"turnCompleteReason": "PROHIBITED_INPUT_CONTENT"}), Ok(FinishReason::Filter)),
        (json!({"turnCompleteReason": "RESPONSE_REJECTED"}), Ok(FinishReason::Filter)),
        (json!({"turnCompleteReason": "MALFORMED_FUNCTION_CALL"}), Err(ErrorKind::Cut)),
        (json!({"turnCompleteReason": "ODD"}), Err(ErrorKind::Malformed)),
        (json!({"interrupted": true}), Err(ErrorKind::Cut)),
    ] {
        let mut content = content;
        content["turnComplete"] = true.into();
        let event = json!({"serverContent": content}).to_string();
        let wire = Wire::start(move |mut line| {
            let event = event.clone();
            async move {
                begin(&mut line).await;
                line.send_events(&event).await;
                line.receive().await;
            }
        })
        .await;
        assert_eq!(rest(&mut *opened(&wire).await).await, (String::new(), expected));
    }
}

#[tokio::test]
async fn closing_server_gets_no_more_requests() {
    for before in [true, false] {
        let (gone, closed) = tokio::sync::oneshot::channel();
        let gone = std::sync::Mutex::new(Some(gone));
        let wire = Wire::start(move |mut line| {
            let gone = gone.lock().unwrap().take();
            async move {
                begin(&mut line).await;
                if before {
                    line.send_events(GO_AWAY).await;
                }
                answer(&mut line, "one").await;
                if !before {
                    line.send_events(GO_AWAY).await;
                }
                // A server that answers has read all earlier bytes.
                line.send(Message::Ping("".into())).await;
                while !line.frames.next().await.unwrap().unwrap().is_pong() {}
                gone.unwrap().send(()).unwrap();
                line.receive().await;
            }
        })
        .await;
        let mut session = opened(&wire).await;
        assert_eq!(rest(&mut *session).await.0, "one");
        closed.await.unwrap();
        let error = session.send(&"one".into(), &user("next")).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Network, "{error}");
        assert_eq!(wire.take().len(), 2, "setup and question");
    }
}

const GO_AWAY: &str = r#"{"goAway":{"timeLeft":"50s"}}"#;
