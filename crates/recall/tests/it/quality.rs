//! A minimum for the share of found messages. `cargo lab recall` prints the figures.

use std::sync::Arc;

use silcrow_recall::Recall;
use silcrow_store::MemoryStore;

use crate::evaluation::{conversations, fill, found, found_by_words, queries, scores};

#[tokio::test]
async fn most_queries_find_their_topic() {
    let conversations = conversations();
    let queries = queries(&conversations);
    assert!(conversations.len() >= 300 && queries.len() >= 60);
    let store = Arc::new(MemoryStore::new());
    fill(&*store, &conversations).await;
    let recall = Recall::new(store);
    let mut rows = Vec::new();
    let mut by_words = Vec::new();
    for query in &queries {
        rows.push(found(&recall, query.words).await);
        by_words.push(found_by_words(&conversations, query.words));
    }
    let (ranked, words) = (scores(&queries, &rows), scores(&queries, &by_words));
    let missed: Vec<_> = queries
        .iter()
        .zip(&rows)
        .filter(|(query, ids)| !ids.iter().take(5).any(|id| *id == query.wanted))
        .map(|(query, _)| query.words)
        .collect();
    assert!(ranked.at_5 >= 0.96, "{ranked:?} by words {words:?}; missed: {missed:#?}");
    assert!(ranked.mrr > words.mrr && ranked.at_1 > words.at_1, "{ranked:?}, by words {words:?}");
}
