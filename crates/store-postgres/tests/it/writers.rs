//! Many stores, as if they were machines, on one conversation.

use silcrow_event::{Content, Event};
use silcrow_store::{ErrorKind, Store as _};
use silcrow_testkit::PostgresServer;

use crate::{open, said};

/// Each position is won once, and acknowledged data is there.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn eight_writers_on_one_conversation_leave_no_gap() {
    let Some(server) = PostgresServer::shared() else { return };
    let database = server.database();
    let writers = (0..WRITERS).map(|writer| {
        let database = database.clone();
        tokio::spawn(async move {
            let store = open(&database).await;
            let mut won = Vec::new();
            for round in 0..ROUNDS {
                let text = format!("{writer}/{round}");
                loop {
                    let head = store.head("c").await.unwrap();
                    match store.append("c", head, said(&*text)).await {
                        Ok(at) => break won.push((at, text)),
                        Err(error) => assert_eq!(error.kind(), ErrorKind::Conflict, "{error}"),
                    }
                }
            }
            won
        })
    });
    let mut won = Vec::new();
    for writer in writers.collect::<Vec<_>>() {
        won.extend(writer.await.unwrap());
    }
    won.sort();
    let stored = open(&database).await.read("c", 1..=u64::MAX).await.unwrap();
    assert_eq!(stored.len(), WRITERS * ROUNDS);
    for ((at, text), (entry, position)) in won.iter().zip(stored.iter().zip(1_u64..)) {
        assert_eq!((*at, entry.seq), (position, Some(position)));
        assert_eq!(entry.event, Event::user(Content::from(&**text)));
    }
}

const WRITERS: usize = 8;
const ROUNDS: usize = 25;
