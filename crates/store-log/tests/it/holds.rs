//! Holds of conversations, and orders to their holders.

use std::time::Duration;

use silcrow_store::{ErrorKind, MAX_ORDER, Store as _};
use silcrow_store_log::{LogStore, Options};
use tokio::time::timeout;

async fn open(dir: &std::path::Path) -> LogStore {
    LogStore::open(dir, Options::default()).await.unwrap()
}

#[tokio::test]
async fn only_one_run_holds_a_conversation() {
    let dir = tempfile::tempdir().unwrap();
    let (one, other) = (open(dir.path()).await, open(dir.path()).await);
    let hold = one.hold("c").await.unwrap();
    for store in [&one, &other] {
        let error = store.hold("c").await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Locked);
        assert!(error.to_string().contains("running in this process"), "{error}");
        assert_eq!(store.shared_runs().holder("c").await.unwrap(), None, "it is no other process");
        assert_eq!(store.shared_runs().held().await.unwrap(), []);
    }
    other.hold("d").await.unwrap().release().await;
    hold.release().await;
    drop(other.hold("c").await.unwrap());
    one.hold("c").await.unwrap().release().await;
    let left = std::fs::read_dir(dir.path().join("holds")).unwrap().count();
    assert_eq!(left, 0, "a hold that is over leaves nothing");
}

#[tokio::test]
async fn order_reaches_only_the_current_hold() {
    let dir = tempfile::tempdir().unwrap();
    let (one, other) = (open(dir.path()).await, open(dir.path()).await);
    let runs = other.shared_runs();
    assert!(!runs.order("c", "stop").await.unwrap(), "nobody holds it");
    let hold = one.hold("c").await.unwrap();
    for order in ["first", "second one"] {
        assert!(runs.order("c", order).await.unwrap());
    }
    for wanted in ["first", "second one"] {
        let order = timeout(Duration::from_secs(10), hold.next_order()).await.unwrap();
        assert_eq!(order, wanted);
    }
    for wrong in ["two\nlines", &"x".repeat(MAX_ORDER + 1)] {
        assert_eq!(runs.order("c", wrong).await.unwrap_err().kind(), ErrorKind::Refused);
    }
    assert!(runs.order("c", "late").await.unwrap());
    hold.release().await;
    let hold = other.hold("c").await.unwrap();
    assert!(timeout(Duration::from_millis(500), hold.next_order()).await.is_err());
}

/// Such as one whose disk is full, or that has too many files open.
#[tokio::test]
async fn holds_work_without_file_locks() {
    let dir = tempfile::tempdir().unwrap();
    let (one, other) = (open(dir.path()).await, open(dir.path()).await);
    std::fs::write(dir.path().join("holds"), "no folder").unwrap();
    let hold = one.hold("c").await.unwrap();
    let error = other.hold("c").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Locked, "{error}");
    other.hold("d").await.unwrap().release().await;
    hold.release().await;
    other.hold("c").await.unwrap().release().await;
}
