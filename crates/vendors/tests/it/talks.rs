//! Responses over a WebSocket: what is asked, and what the server remembers.

use serde_json::{Value, json};
use silcrow_event::{Message, Role};
use silcrow_provider::{Delta, ErrorKind, Finish, Provider as _, Request, Session};
use silcrow_vendors::{Key, Responses};

use crate::server::long;
use crate::socket::{Line, Wire};
use crate::wire::SECRET;

pub(crate) fn responses(wire: &Wire) -> Responses {
    let model = Responses::new("m", Key::new(SECRET, "THE_KEY")).unwrap();
    model.with_base(&wire.url()).unwrap()
}

fn messages(texts: &[&str]) -> Vec<Message> {
    let roles = [Role::System, Role::User, Role::Assistant, Role::User];
    roles.into_iter().zip(texts).map(|(role, text)| Message::new(role, *text)).collect()
}

/// The rest of the answer: its text, and why it ended.
pub(crate) async fn rest(session: &mut dyn Session) -> (String, Result<Finish, ErrorKind>) {
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
    line.say(&format!(r#"{{"type":"response.created","response":{{"id":"{id}"}}}}"#)).await;
    let delta = json!({"type": "response.output_text.delta", "item_id": "i", "delta": text});
    line.say(&delta.to_string()).await;
    line.say(&json!({"type": "response.completed", "response": response}).to_string()).await;
}

/// Roles and texts of a question.
fn inputs(event: &Value) -> Vec<(&str, &str)> {
    let items = event["input"].as_array().unwrap().iter();
    items
        .map(|item| (item["role"].as_str().unwrap(), item["content"][0]["text"].as_str().unwrap()))
        .collect()
}

#[tokio::test]
async fn only_what_is_new_is_sent_behind_the_response_before() {
    let wire = Wire::start(|mut line| async move {
        for (id, text) in [("r1", "§one\n"), ("r2", "§two\nmore"), ("r3", "x"), ("r4", "y")] {
            if line.hear().await.is_null() {
                return;
            }
            answer(&mut line, id, text).await;
        }
    })
    .await;
    let model = responses(&wire).with_timeouts(long()).unwrap();
    let request = Request::new(messages(&["sys", "hi"]));
    let mut session = model.connect(request).unwrap().await.unwrap();
    assert_eq!(rest(&mut *session).await, ("§one\n".into(), Ok(Finish::Stop)));
    session.cancel().await.unwrap();
    session.send("§one", &messages(&["", "two"])[1..]).await.unwrap();
    // What comes of an answer that is not wanted is not given.
    session.cancel().await.unwrap();
    session.send("§two", &messages(&["", "three"])[1..]).await.unwrap();
    assert_eq!(rest(&mut *session).await.0, "x");
    session.send("x", &messages(&["", "four"])[1..]).await.unwrap();
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
        assert_eq!(event["instructions"], "sys");
        assert_eq!(event["stream"], Value::Null);
    }
    let previous: Vec<_> = sent.iter().map(|event| event["previous_response_id"].clone()).collect();
    assert_eq!(previous, [Value::Null, "r1".into(), "r1".into(), "r3".into()]);
    assert_eq!(inputs(&sent[0]), [("user", "hi")]);
    assert_eq!(inputs(&sent[1]), [("user", "two")]);
    assert_eq!(inputs(&sent[2]), [("user", "two"), ("assistant", "§two"), ("user", "three")]);
    assert_eq!(inputs(&sent[3]), [("user", "four")]);
    assert_eq!(sent[2]["input"][1]["content"][0]["type"], "output_text");
}
