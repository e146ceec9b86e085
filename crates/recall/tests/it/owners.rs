//! The conversations that a call finds: its user's, and no others.

use std::sync::Arc;

use silcrow_recall::Recall;
use silcrow_store::{MemoryStore, Store};
use silcrow_store_log::{LogStore, Options};

use crate::{call, conversations, messages, say};

/// Checks a store with conversations of two users, and conversations without a user.
async fn check<S: Store + 'static>(store: Arc<S>) {
    for (id, user) in [("a1", "ann"), ("a2", "ann"), ("b1", "bob"), ("b2", "bob")] {
        say(&*store, id, Some(user), &format!("a whale of {user} near {id}"), 1).await;
    }
    for number in 0..30 {
        // More recent ones of another user do not push out those that count.
        say(&*store, &format!("b/{number}"), Some("bob"), "whale whale", 9).await;
    }
    say(&*store, "n1", None, "a whale of nobody", 1).await;
    // The first user that an event names is the owner.
    say(&*store, "a3", Some("ann"), "hello", 1).await;
    say(&*store, "a3", Some("bob"), "a whale, says bob", 2).await;
    let recall = Recall::new(Arc::clone(&store));
    let found = async |user: Option<&str>| {
        let mut found = conversations(call(&recall, user, r#"{"query":"whale","limit":20}"#).await);
        found.sort();
        found
    };
    assert_eq!(found(Some("ann")).await, ["a1", "a2", "a3"]);
    assert_eq!(found(None).await, ["n1"]);
    assert_eq!(found(Some("carol")).await, [] as [&str; 0]);
    assert_eq!(found(Some("an")).await, [] as [&str; 0]);
    assert_eq!(found(Some("ann ")).await, [] as [&str; 0]);
    assert!(found(Some("bob")).await.iter().all(|id| id.starts_with('b')));

    // Nor can they be read.
    let foreign = [(Some("ann"), "b1"), (Some("ann"), "n1"), (None, "a1"), (Some("bob"), "a3")];
    for (user, id) in foreign {
        let args = format!(r#"{{"conversation":"{id}"}}"#);
        let error = call(&recall, user, &args).await.unwrap_err().to_string();
        let none = call(&recall, user, r#"{"conversation":"none"}"#).await.unwrap_err().to_string();
        assert_eq!(error, none, "the error must not say that {id} exists");
    }
    assert_eq!(messages(call(&recall, None, r#"{"conversation":"n1"}"#).await).len(), 1);

    // Deleted messages are gone.
    store.delete("a1", 1).await.unwrap();
    assert_eq!(found(Some("ann")).await, ["a2", "a3"]);
    call(&recall, Some("ann"), r#"{"conversation":"a1"}"#).await.unwrap_err();
    say(&*store, "a1", Some("bob"), "the id is taken again", 3).await;
    assert_eq!(found(Some("ann")).await, ["a2", "a3"]);
    call(&recall, Some("ann"), r#"{"conversation":"a1"}"#).await.unwrap_err();
}

#[tokio::test]
async fn memory_store_finds_only_own_conversations() {
    check(Arc::new(MemoryStore::new())).await;
}

#[tokio::test]
async fn embedded_store_finds_only_own_conversations() {
    let dir = tempfile::tempdir().unwrap();
    let store = LogStore::open(dir.path().join("store"), Options::default()).await.unwrap();
    check(Arc::new(store)).await;
}
