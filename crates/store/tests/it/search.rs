//! The query of a search. The conformance suite tests the search itself.

use silcrow_event::Event;
use silcrow_store::search::Query;
use silcrow_store::{MemoryStore, Store as _};

#[tokio::test]
async fn plain_word_query_finds_them() {
    let store = MemoryStore::new();
    let said = (0..11).map(|_| Event::user("a whale").into()).collect();
    store.append("c", 0, said).await.unwrap();
    let query = Query { words: "whale".to_owned(), ..Query::default() };
    let hits = store.search(&query).await.unwrap();
    assert_eq!(hits.len(), 10);
    assert!(hits.iter().all(|hit| hit.matched_words == 1), "{hits:?}");
}

#[test]
fn query_excludes_conversation_and_inner_ones() {
    let query = Query { except: Some("c".to_owned()), ..Query::default() };
    assert!(query.excludes("c") && query.excludes("c/1/a"));
    assert!(!query.excludes("cc") && !query.excludes("b/c"));
    assert!(!Query::default().excludes("c"));
}
