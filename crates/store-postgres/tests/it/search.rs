//! The search in a database with many texts.

use std::time::Duration;

use silcrow_event::Event;
use silcrow_store::Store as _;
use silcrow_store::search::Query;
use silcrow_testkit::PostgresServer;
use tokio::time::timeout;

use crate::open;

/// Rare words are found by the index, even after many searches with the same connection.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rare_words_are_found_by_trigrams() {
    let Some(server) = PostgresServer::shared() else { return };
    let database = server.database();
    let store = open(&database).await;
    for conversation in 0..10 {
        let said = |number: u32| Event::user(format!("{:x} sleepy", number * 7_919 + conversation));
        let batch = (0..2_000).map(|number| said(number).into()).collect();
        store.append(&format!("c{conversation}"), 0, batch).await.unwrap();
    }
    server.run(&database, "vacuum analyze silcrow.event");
    for number in 1_000..1_020 {
        let words = format!("{:x}", number * 7_919 + 3);
        let query = Query { words, ..Query::default() };
        let hits = store.search(&query).await.unwrap();
        assert!(hits.iter().any(|hit| hit.conversation == "c3"), "{hits:?}");
    }
    let count = async |words: &str| {
        let query = Query { words: words.to_owned(), limit: 99_999, ..Query::default() };
        store.search(&query).await.unwrap().len()
    };
    assert_eq!(count("sleepy").await, 20_000);
    // The server updates its counters when a connection ends.
    drop(store);
    let uses = "select pg_stat_force_next_flush(), idx_scan from pg_stat_user_indexes
        where indexrelname = 'event_said'";
    let uses = || server.run(&database, uses).trim_start_matches('|').parse::<u32>().unwrap();
    let seen = async {
        while uses() < 20 {
            tokio::task::yield_now().await;
        }
    };
    timeout(Duration::from_secs(30), seen).await.expect("the index is used");
}
