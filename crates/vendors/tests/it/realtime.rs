//! Realtime: its events, answers that are partly deleted, and the errors that count.

use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};
use silcrow_event::{Message, Role};
use silcrow_provider::{ErrorKind, FinishReason, Provider as _, Request, Session};
use silcrow_vendors::{ApiKey, Realtime};

use crate::server::long;
use crate::socket::{Line, Wire};
use crate::talk::request;
use crate::talks::{rest, user};
use crate::wire::SECRET;

fn model(wire: &Wire) -> Realtime {
    let model = Realtime::new("m", ApiKey::new(SECRET, "THE_KEY")).unwrap();
    model.with_base(&wire.url()).unwrap().with_timeouts(long())
}

async fn opened(wire: &Wire) -> Box<dyn Session> {
    model(wire).connect(request()).unwrap().await.unwrap()
}

/// Receives the client's events up to its question.
async fn asked(line: &mut Line) -> bool {
    loop {
        let event = line.receive().await;
        if event.is_null() || event["type"] == "response.create" {
            return !event.is_null();
        }
    }
}

/// An answer of one item with this text, up to its end.
async fn answer(line: &mut Line, item: &str, text: &str, status: &str) {
    begin(line, item, text).await;
    line.send_events(&json!({"type": "response.done", "response": {"status": status}}).to_string())
        .await;
}

async fn begin(line: &mut Line, item: &str, text: &str) {
    line.send_events(r#"{"type":"response.created","response":{"id":"r"}}"#).await;
    let added = json!({"type": "response.output_item.added", "item": {"id": item}});
    line.send_events(&added.to_string()).await;
    let delta = json!({"type": "response.output_text.delta", "item_id": item, "delta": text});
    line.send_events(&delta.to_string()).await;
}

/// Returns the kind and the subject of each event.
fn summaries(events: &[Value]) -> Vec<String> {
    let summary = |event: &Value| {
        let kind = event["type"].as_str().unwrap();
        let item = &event["item"];
        match kind {
            "conversation.item.create" => {
                let content = &item["content"][0];
                let part = |of: &Value| of.as_str().unwrap().to_owned();
                [part(&item["role"]), part(&content["type"]), part(&content["text"])].join(" ")
            }
            "conversation.item.delete" => format!("- {}", event["item_id"].as_str().unwrap()),
            other => other.to_owned(),
        }
    };
    events.iter().map(summary).collect()
}

#[tokio::test]
async fn server_conversation_drops_uncounted_items() {
    let wire = Wire::start(|mut line| async move {
        line.send_events(r#"{"type":"session.created","session":{"expires_at":null}}"#).await;
        assert!(asked(&mut line).await);
        answer(&mut line, "i1", "one\n", "completed").await;
        assert!(asked(&mut line).await);
        begin(&mut line, "i2", "two").await;
        while line.receive().await["type"] != "response.cancel" {}
        let more = json!({"type": "response.output_text.delta", "item_id": "i3", "delta": "more"});
        line.send_events(&more.to_string()).await;
        let done = json!({"type": "response.done", "response": {"status": "cancelled",
            "status_details": {"type": "cancelled", "reason": "client_cancelled"}}});
        line.send_events(&done.to_string()).await;
        assert!(asked(&mut line).await);
        answer(&mut line, "i4", "three and more", "completed").await;
        assert!(asked(&mut line).await);
        answer(&mut line, "i5", "four", "completed").await;
        line.receive().await;
    })
    .await;
    let mut messages = request().messages;
    messages.extend([
        Message::new(Role::Assistant, "earlier"),
        user("now").into_iter().next().unwrap(),
    ]);
    let mut session = model(&wire).connect(Request::new(messages)).unwrap().await.unwrap();
    assert_eq!(rest(&mut *session).await, ("one\n".into(), Ok(FinishReason::Stop)));
    session.send(&"one".into(), &user("next")).await.unwrap();
    assert!(session.receive().await.unwrap().is_ok());
    session.cancel().await.unwrap();
    session.send(&"two".into(), &user("last")).await.unwrap();
    assert_eq!(rest(&mut *session).await.0, "three and more");
    session.send(&"three".into(), &user("more?")).await.unwrap();
    assert_eq!(rest(&mut *session).await.0, "four");
    session.close().await;

    let head = wire.heads.lock().unwrap().concat();
    assert!(head.starts_with("/v1/realtime?model=m ") && head.contains(SECRET), "{head}");
    let events = wire.take();
    assert_eq!(
        summaries(&events),
        [
            "session.update",
            "user input_text hi",
            "assistant output_text earlier",
            "user input_text now",
            "response.create",
            "user input_text next",
            "response.create",
            "response.cancel",
            "- i2",
            "- i3",
            "assistant output_text two",
            "user input_text last",
            "response.create",
            "- i4",
            "assistant output_text three",
            "user input_text more?",
            "response.create",
        ]
    );
    let session = json!({"type": "realtime", "output_modalities": ["text"], "instructions": "sys"});
    assert_eq!(events[0]["session"], session);
    assert_eq!(events[4]["response"], json!({"output_modalities": ["text"]}));
}

#[tokio::test]
async fn unnamed_items_cannot_be_deleted() {
    let wire = Wire::start(|mut line| async move {
        while asked(&mut line).await {
            line.send_events(r#"{"type":"response.created"}"#).await;
            line.send_events(r#"{"type":"response.output_text.delta","delta":"one and more"}"#)
                .await;
            line.send_events(r#"{"type":"response.done"}"#).await;
        }
    })
    .await;
    let mut session = opened(&wire).await;
    for kept in ["one and more", "one"] {
        assert_eq!(rest(&mut *session).await, ("one and more".into(), Ok(FinishReason::Stop)));
        let sent = session.send(&kept.into(), &user("next")).await;
        assert_eq!(sent.is_ok(), kept != "one", "{sent:?}");
    }
}

#[tokio::test]
async fn finish_reasons_are_mapped() {
    for (response, expected) in [
        (json!({"status": "completed"}), Ok(FinishReason::Stop)),
        (json!({}), Ok(FinishReason::Stop)),
        (
            json!({"status": "incomplete", "status_details": {"reason": "max_output_tokens"}}),
            Ok(FinishReason::Length),
        ),
        (json!({"status": "incomplete"}), Ok(FinishReason::Length)),
        (
            json!({"status": "incomplete", "status_details": {"reason": "content_filter"}}),
            Ok(FinishReason::Filter),
        ),
        (
            json!({"status": "incomplete", "status_details": {"reason": "odd"}}),
            Err(ErrorKind::Malformed),
        ),
        (json!({"status": "cancelled"}), Err(ErrorKind::Cut)),
        (json!({"status": "in_progress"}), Err(ErrorKind::Cut)),
        (
            json!({"status": "failed", "status_details": {"error": {"code": "rate_limit_exceeded"}}}),
            Err(ErrorKind::Rate),
        ),
        (json!({"status": "failed"}), Err(ErrorKind::Overload)),
    ] {
        let done = json!({"type": "response.done", "response": response}).to_string();
        let wire = Wire::start(move |mut line| {
            let done = done.clone();
            async move {
                asked(&mut line).await;
                begin(&mut line, "i", "a").await;
                line.send_events(&done).await;
                line.receive().await;
            }
        })
        .await;
        assert_eq!(rest(&mut *opened(&wire).await).await, ("a".into(), expected), "{response}");
    }
}

#[tokio::test]
async fn related_or_final_errors_fail_the_answer() {
    let error = |event: Value, code: &str| {
        let error = json!({"type": "invalid_request_error", "code": code, "message": "no",
            "event_id": event});
        json!({"type": "error", "event_id": "theirs", "error": error}).to_string()
    };
    // About the requested events.
    let event = error("silcrow".into(), "invalid_value");
    let wire = Wire::start(move |mut line| {
        let event = event.clone();
        async move {
            asked(&mut line).await;
            line.send_events(&event).await;
            line.receive().await;
        }
    })
    .await;
    let failed = model(&wire).connect(request()).unwrap().await.err().unwrap();
    assert_eq!(failed.kind(), ErrorKind::Refused, "{failed}");
    assert!(failed.sent() > 0);
    // These errors are about none of the client's events, or about a cancel that came too late.
    for event in [error(Value::Null, "odd"), error("silcrow-stop".into(), "not_active")] {
        let wire = Wire::start(move |mut line| {
            let event = event.clone();
            async move {
                asked(&mut line).await;
                line.send_events(&event).await;
                begin(&mut line, "i", "a").await;
                line.send_events(&event).await;
                answer(&mut line, "i", "b", "completed").await;
                line.receive().await;
            }
        })
        .await;
        assert_eq!(rest(&mut *opened(&wire).await).await, ("ab".into(), Ok(FinishReason::Stop)));
    }
    // The server closes the connection after it.
    let event = error(Value::Null, "beta_api_shape_disabled");
    let wire = Wire::start(move |mut line| {
        let event = event.clone();
        async move {
            line.send_events(&event).await;
            line.frames.close(None).await.unwrap();
        }
    })
    .await;
    let failed = model(&wire).connect(request()).unwrap().await.err().unwrap();
    assert_eq!(failed.kind(), ErrorKind::Refused, "{failed}");
}

#[tokio::test]
async fn expiring_session_is_not_continued() {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    // Some servers send no end.
    for (at, lives) in [(now + 60, false), (now + 1200, true), (0, true)] {
        let wire = Wire::start(move |mut line| async move {
            let session = json!({"expires_at": at});
            line.send_events(&json!({"type": "session.created", "session": session}).to_string())
                .await;
            // Only the requested change.
            line.send_events(r#"{"type":"session.updated","session":{}}"#).await;
            while asked(&mut line).await {
                answer(&mut line, "i", "a", "completed").await;
            }
        })
        .await;
        let mut session = opened(&wire).await;
        assert_eq!(rest(&mut *session).await.0, "a");
        assert_eq!(session.send(&"a".into(), &user("next")).await.is_ok(), lives);
    }
}
