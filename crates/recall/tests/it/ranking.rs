//! In which order messages are found.

use std::sync::Arc;

use silcrow_recall::Recall;
use silcrow_store::MemoryStore;
use silcrow_store_log::{LogStore, Options};

use crate::{call, conversations, say};

/// Searches messages, each of a separate conversation, the newest last.
async fn found(texts: &[&str], query: &str) -> Vec<usize> {
    let store = Arc::new(MemoryStore::new());
    for (number, text) in texts.iter().enumerate() {
        say(&*store, &format!("{number}"), None, text, number as i64 * 86_400).await;
    }
    let args = serde_json::json!({ "query": query, "limit": 20 }).to_string();
    let found = conversations(call(&Recall::new(store), None, &args).await);
    found.iter().map(|id| id.parse().unwrap()).collect()
}

#[tokio::test]
async fn rare_words_outweigh_frequent_ones() {
    let texts = ["the kraken", "a server", "one server", "two servers", "our server, slow"];
    assert_eq!(found(&texts, "server kraken").await[0], 0);
}

#[tokio::test]
async fn stop_words_do_not_decide() {
    let texts = ["the invoice number", "what is it and how is the one of the others?"];
    assert_eq!(found(&texts, "what is the number of the invoices and how is it?").await[0], 0);
    assert_eq!(
        found(&["Die Rechnung", "wie ist das mit der und die?"], "wie ist die Rechnung").await[0],
        0
    );
}

#[tokio::test]
async fn inflected_forms_are_found_in_their_language() {
    assert_eq!(found(&["we are deploying it", "an employer"], "deployments").await, [0]);
    assert_eq!(found(&["Die Häuser sind alt und schön"], "haus").await, [0]);
    assert_eq!(found(&["Das Haus ist alt"], "Häuser").await, [0]);
    assert_eq!(found(&["a café"], "CAFE").await, [0]);
    assert_eq!(found(&["ein Cafe"], "cafés").await, [0]);
}

#[tokio::test]
async fn names_and_paths_are_found_by_their_parts() {
    let texts = ["call file_read", "see src/main.rs", "the fooBar of it", "nothing"];
    for (query, wanted) in [
        ("read file", 0),
        ("fileRead", 0),
        ("main.rs", 1),
        ("src main", 1),
        ("foo_bar", 2),
        ("foobar", 2),
        ("bar", 2),
    ] {
        assert_eq!(found(&texts, query).await.first(), Some(&wanted), "{query}");
    }
}

#[tokio::test]
async fn recency_decides_between_equals_only() {
    let texts = ["the port is 1", "the port is 2", "our report is long"];
    assert_eq!(found(&texts, "port").await, [1, 0, 2]);
}

#[tokio::test]
async fn near_duplicates_share_one_row() {
    let texts = ["Where do whales sleep?", "where do WHALES sleep", "whales sleep near ice"];
    assert_eq!(found(&texts, "whales sleep").await.len(), 2);
}

#[tokio::test]
async fn results_are_spread_over_conversations() {
    let store = Arc::new(MemoryStore::new());
    for number in 0..9 {
        say(&*store, "long", None, &format!("whale number {number} of many"), 100 + number).await;
    }
    say(&*store, "b", None, "there was a whale in the old days", 1).await;
    say(&*store, "c", None, "yet one whale more", 2).await;
    let mut found = conversations(call(&Recall::new(store), None, r#"{"query":"whale"}"#).await);
    found[..3].sort();
    assert_eq!(found, ["b", "c", "long", "long", "long"]);
}

/// More messages have the frequent word than are ranked, and the store is long enough for an index.
#[tokio::test]
async fn rare_word_is_found_among_frequent_ones() {
    let dir = tempfile::tempdir().unwrap();
    let store = LogStore::open(dir.path().join("store"), Options::default()).await.unwrap();
    let store = Arc::new(store);
    say(&*store, "old", None, "the kraken of the fjord", 1).await;
    for number in 0..600 {
        let text = format!("server {number} {}", "and more of it ".repeat(300));
        say(&*store, &format!("c{number}"), None, &text, 100 + number).await;
    }
    let found =
        conversations(call(&Recall::new(store), None, r#"{"query":"server krakens"}"#).await);
    assert_eq!(found[0], "old");
}
