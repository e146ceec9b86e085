//! One owner of a conversation at a time.

use std::time::Duration;

use silcrow_store::{ErrorKind, Store as _};
use silcrow_store_postgres::Options;
use silcrow_testkit::PostgresServer;
use tokio::time::{Instant, timeout};

use crate::{SHORT, open_briefly, open_with, said};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn living_owner_holds_exclusively_until_release() {
    let Some(server) = PostgresServer::shared() else { return };
    let database = server.database();
    let options = Options { lease: SHORT, owner: "the first".to_owned(), ..Options::default() };
    let (one, other) = (open_with(&database, options).await, open_briefly(&database).await);
    let hold = one.hold("c").await.unwrap();
    one.append("c", 0, said("one")).await.unwrap();

    assert_eq!(one.shared_runs().holder("c").await.unwrap(), None, "it is no other process");
    let holder = other.shared_runs().holder("c").await.unwrap().unwrap();
    assert_eq!((&*holder.name, holder.address), ("the first", None));
    let error = other.hold("c").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Locked);
    assert!(error.to_string().contains("running in the first"), "{error}");
    // The owner lives longer than its first lease.
    let until = Instant::now() + SHORT * 2;
    while Instant::now() < until {
        assert!(!hold.is_lost());
        let error = other.hold("c").await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Locked, "{error}");
    }
    let error = one.hold("c").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Locked, "another run of the same process: {error}");
    other.hold("another").await.unwrap().release().await;

    // A person may speak to a conversation that a run holds elsewhere.
    other.append("c", 1, said("two")).await.unwrap();
    other.put("granted/c", "k", 0, vec![]).await.unwrap();
    one.append("c", 2, said("three")).await.unwrap();

    hold.release().await;
    assert_eq!(other.shared_runs().holder("c").await.unwrap(), None);
    let hold = timeout(SHORT / 3, other.hold("c")).await.expect("it is free at once").unwrap();
    other.append("c", 3, said("four")).await.unwrap();
    drop(hold);
    timeout(Duration::from_secs(30), async { while other.hold("c").await.is_err() {} })
        .await
        .expect("a hold that is dropped is released");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hold_without_events_leaves_nothing() {
    let Some(server) = PostgresServer::shared() else { return };
    let database = server.database();
    let store = open_briefly(&database).await;
    let hold = store.hold("c").await.unwrap();
    assert!(store.list(None).await.unwrap().is_empty());
    hold.release().await;
    assert_eq!(server.run(&database, "select count(*) from silcrow.conversation"), "0");
    assert_eq!(store.head("c").await.unwrap(), 0);
}

/// The row of a conversation that was deleted and begun again has another epoch.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn deleted_conversation_is_no_longer_held() {
    let Some(server) = PostgresServer::shared() else { return };
    let database = server.database();
    let (one, other) = (open_briefly(&database).await, open_briefly(&database).await);
    let hold = one.hold("c").await.unwrap();
    one.append("c", 0, said("one")).await.unwrap();
    other.delete("c", 1).await.unwrap();
    let error = one.append("c", 0, said("again")).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Fenced, "{error}");
    let other_hold = other.hold("c").await.unwrap();
    other.append("c", 0, said("another")).await.unwrap();
    let error = one.append("c", 1, said("again")).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Fenced, "{error}");
    let error = one.put("started/c", "1/a1", 0, vec![]).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Fenced, "{error}");
    timeout(Duration::from_secs(30), hold.lost()).await.expect("the next renewal shows it");
    hold.release().await;
    assert!(!other_hold.is_lost());
    other.append("c", 1, said("more")).await.unwrap();
}
