//! Followers of logs to which another machine appends.

use futures_util::StreamExt as _;
use silcrow_store::Store as _;
use silcrow_testkit::PostgresServer;

use crate::{open, said};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn followers_see_entries_of_other_stores() {
    let Some(server) = PostgresServer::shared() else { return };
    let database = server.database();
    let (one, other) = (open(&database).await, open(&database).await);
    let ids: Vec<String> = (0..50).map(|number| format!("c\0{number}")).collect();
    let mut follows: Vec<_> = ids.iter().map(|id| one.follow(id, 0)).collect();
    for round in 0..3 {
        for id in &ids {
            other.append(id, round, said(id)).await.unwrap();
        }
        for follow in &mut follows {
            let entry = follow.next().await.unwrap().unwrap();
            assert_eq!(entry.seq, Some(round + 1));
        }
    }
}
