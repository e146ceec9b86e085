//! Reading around a hit.

use std::sync::Arc;

use silcrow_event::Event;
use silcrow_recall::Recall;
use silcrow_store::{MemoryStore, Store as _};

use crate::{answer, call, messages, say};

fn events(messages: &[serde_json::Value]) -> Vec<u64> {
    messages.iter().map(|message| message["event"].as_u64().unwrap()).collect()
}

#[tokio::test]
async fn the_messages_next_to_an_event_are_read() {
    let store = Arc::new(MemoryStore::new());
    for number in 0..100 {
        say(&*store, "c1", None, &format!("question {number}"), number).await;
        answer(&*store, "c1", &format!("answer {number}")).await;
    }
    let recall = Recall::new(store);
    let middle = call(&recall, None, r#"{"conversation":"c1","event":100}"#).await;
    assert!(middle.as_ref().unwrap().notices.iter().any(|notice| notice.contains("more messages")));
    assert_eq!(events(&messages(middle)), (94..106).collect::<Vec<_>>());
    let first = messages(call(&recall, None, r#"{"conversation":"c1","event":1}"#).await);
    assert_eq!(events(&first), (1..13).collect::<Vec<_>>());
    let last = messages(call(&recall, None, r#"{"conversation":"c1"}"#).await);
    assert_eq!(events(&last), (189..201).collect::<Vec<_>>());
    let beyond = r#"{"conversation":"c1","event":99999}"#;
    assert_eq!(messages(call(&recall, None, beyond).await), last);
}

#[tokio::test]
async fn thoughts_are_omitted_and_long_messages_cut() {
    let store = Arc::new(MemoryStore::new());
    say(&*store, "c1", None, &"ü".repeat(5000), 1).await;
    store.append("c1", 1, vec![Event::think("a secret thought").into()]).await.unwrap();
    answer(&*store, "c1", "short").await;
    let recall = Recall::new(store);
    let output = call(&recall, None, r#"{"conversation":"c1"}"#).await;
    assert!(
        !output.as_ref().unwrap().notices.iter().any(|notice| notice.contains("more messages"))
    );
    let read = messages(output);
    assert_eq!(events(&read), [1, 3]);
    assert_eq!(read[0]["text"].as_str().unwrap().chars().count(), 2001);
}

#[tokio::test]
async fn the_current_conversation_is_not_read() {
    let store = Arc::new(MemoryStore::new());
    say(&*store, "now", None, "here", 1).await;
    say(&*store, "now/1/a1", None, "inside", 1).await;
    let recall = Recall::new(store);
    for id in ["now", "now/1/a1"] {
        call(&recall, None, &format!(r#"{{"conversation":"{id}"}}"#)).await.unwrap_err();
    }
}
