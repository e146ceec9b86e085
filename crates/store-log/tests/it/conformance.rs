//! The promises of every store, and the additional ones of a store in files.

use std::future::poll_fn;
use std::task::Poll;

use futures_util::{FutureExt as _, StreamExt as _};
use silcrow_event::Event;
use silcrow_store::{Store as _, conformance};
use silcrow_store_log::{Durability, LogStore, Options};
use tempfile::TempDir;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_new_store_passes_every_check() {
    let folders = std::sync::Mutex::new(Vec::<TempDir>::new());
    conformance::check(async || {
        let dir = tempfile::tempdir().unwrap();
        let store = LogStore::open(dir.path(), Options::default()).await.unwrap();
        folders.lock().unwrap().push(dir);
        store
    })
    .await;
}

/// Every operation goes to one of two stores on the same files, as if they were two processes.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_stores_on_one_folder_pass_every_check() {
    let folders = std::sync::Mutex::new(Vec::<TempDir>::new());
    conformance::check(async || {
        let dir = tempfile::tempdir().unwrap();
        let options = Options { durability: Durability::Process };
        let one = LogStore::open(dir.path(), options).await.unwrap();
        let other = LogStore::open(dir.path(), options).await.unwrap();
        folders.lock().unwrap().push(dir);
        crate::alternate::Alternate::new(one, other)
    })
    .await;
}

#[tokio::test]
async fn opening_again_keeps_all() {
    for durability in [Durability::Power, Durability::Process] {
        let dir = tempfile::tempdir().unwrap();
        let options = Options { durability };
        let open = async || LogStore::open(dir.path(), options).await.unwrap();
        conformance::check_reopening(open).await;
    }
}

/// Many times over, with a read and a follower given up in the middle each time.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn dropped_store_reopens_immediately() {
    let dir = tempfile::tempdir().unwrap();
    for head in 0..30 {
        let store = LogStore::open(dir.path(), Options::default()).await.unwrap();
        assert_eq!(store.head("c").await.unwrap(), head);
        store.append("c", head, vec![Event::user("x").into()]).await.unwrap();
        let mut read = store.read("c", 1..=u64::MAX);
        let _ = once(&mut read).await;
        drop(read);
        let mut follow = store.follow("c", 0);
        let _ = once(&mut follow.next()).await;
        drop(follow);
    }
}

/// An append whose caller has gone is written nevertheless.
#[tokio::test]
async fn an_append_given_up_is_whole() {
    let dir = tempfile::tempdir().unwrap();
    let store = LogStore::open(dir.path(), Options::default()).await.unwrap();
    let batch = vec![Event::user("1").into(), Event::user("2").into()];
    let mut append = store.append("c", 0, batch);
    assert!(once(&mut append).await.is_pending());
    drop(append);
    drop(store);
    let store = LogStore::open(dir.path(), Options::default()).await.unwrap();
    assert_eq!(store.head("c").await.unwrap(), 2);
}

/// Polled one time.
async fn once<F: Future + Unpin>(future: &mut F) -> Poll<F::Output> {
    poll_fn(|context| Poll::Ready(future.poll_unpin(context))).await
}
