//! Readers see only acknowledged records.

use std::fs;

use silcrow_event::Event;
use silcrow_store::Store as _;
use silcrow_store_log::{LogStore, Options};

/// The files are in the state of a process that wrote a group and did not acknowledge it yet: the
/// mark is the previous group's.
#[tokio::test]
async fn unacknowledged_group_is_not_read() {
    let dir = tempfile::tempdir().unwrap();
    let open = async || LogStore::open(dir.path(), Options::default()).await.unwrap();
    let store = open().await;
    store.append("c", 0, vec![Event::user("1").into()]).await.unwrap();
    let mark = fs::read(dir.path().join("MARK")).unwrap();
    store.append("c", 1, vec![Event::user("2").into()]).await.unwrap();
    drop(store);
    fs::write(dir.path().join("MARK"), mark).unwrap();

    let reader = open().await;
    assert_eq!(reader.head("c").await.unwrap(), 1);
    // The next process that writes finds the group whole, and makes it stay.
    open().await.recover().await.unwrap();
    assert_eq!(reader.head("c").await.unwrap(), 2);
    assert_eq!(reader.read("c", 2..=2).await.unwrap()[0].event, Event::user("2"));
}
