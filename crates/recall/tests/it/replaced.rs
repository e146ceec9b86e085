//! The part of the current conversation that a summary replaced.

use std::sync::Arc;

use serde_json::Value;
use silcrow_event::{ContextSummary, Event};
use silcrow_recall::Recall;
use silcrow_store::{Fork, MemoryStore, Store};
use silcrow_tool::Scope;

use crate::{answer, call, call_in, conversations, messages, say};

async fn summarize(store: &dyn Store, until: u64) {
    let head = store.head("now").await.unwrap();
    let summary =
        ContextSummary { content: "Of whales.".to_owned(), until, ..ContextSummary::default() };
    store.append("now", head, vec![Event::Summary(summary).into()]).await.unwrap();
}

fn texts(found: &[Value]) -> Vec<&str> {
    found.iter().map(|one| one["text"].as_str().unwrap()).collect()
}

/// Returns a conversation of 400 messages whose first two a summary replaces.
async fn summarized() -> Arc<MemoryStore> {
    let store = Arc::new(MemoryStore::new());
    say(&*store, "now", None, "the whale is called Olga", 1).await;
    answer(&*store, "now", "a good name").await;
    say(&*store, "now", None, "a whale that the model still reads", 2).await;
    summarize(&*store, 2).await;
    for number in 0..397 {
        say(&*store, "now", None, &format!("ship {number}"), 3).await;
    }
    store
}

const WHALE: &str = r#"{"query":"whale"}"#;

#[tokio::test]
async fn summarized_entries_are_found_and_read() {
    let store = summarized().await;
    let recall = Recall::new(Arc::clone(&store));
    let found = messages(call(&recall, None, WHALE).await);
    assert_eq!(texts(&found), ["the whale is called Olga"]);
    assert_eq!((&found[0]["conversation"], &found[0]["event"]), (&"now".into(), &1.into()));
    for event in ["", r#","event":1"#, r#","event":300"#] {
        let args = format!(r#"{{"conversation":"now"{event}}}"#);
        let read = messages(call(&recall, None, &args).await);
        assert_eq!(texts(&read), ["the whale is called Olga", "a good name"]);
    }

    // A withdrawn summary replaces nothing.
    summarize(&*store, 0).await;
    assert!(messages(call(&recall, None, WHALE).await).is_empty());
    call(&recall, None, r#"{"conversation":"now"}"#).await.unwrap_err();
}

#[tokio::test]
async fn entries_shared_with_forks_are_found_once() {
    let store = summarized().await;
    Fork::read(&*store, "now", None).await.unwrap().begin(&*store, "fork").await.unwrap();
    let found = messages(call(&Recall::new(store), None, WHALE).await);
    assert_eq!(texts(&found), ["the whale is called Olga"]);
}

#[tokio::test]
async fn child_agent_does_not_search_its_parent() {
    let store = summarized().await;
    say(&*store, "now/1/a1", None, "find the whale", 1).await;
    let recall = Recall::new(store);
    let mut inner = Scope::new("now/1/a1");
    inner.agent_path = vec!["helper".to_owned()];
    assert!(conversations(call_in(&recall, inner, None, WHALE).await).is_empty());
}
