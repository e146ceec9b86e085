use std::future::poll_fn;
use std::task::Poll;

use futures_util::{FutureExt as _, StreamExt as _};
use silcrow_event::Event;
use silcrow_store::{Store as _, conformance};
use silcrow_store_sled::{Options, SledDurability, SledStore};
use tempfile::TempDir;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_new_store_passes_every_check() {
    let mut folders = Vec::new();
    let folders = std::sync::Mutex::new(&mut folders);
    conformance::check(async || {
        let dir = tempfile::tempdir().unwrap();
        let store = SledStore::open(dir.path(), Options::default()).await.unwrap();
        folders.lock().unwrap().push(dir);
        store
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_store_opened_again_passes_every_check() {
    let folders = std::sync::Mutex::new(Vec::<TempDir>::new());
    let options = Options { durability: SledDurability::Process };
    conformance::check(async || {
        let dir = tempfile::tempdir().unwrap();
        drop(SledStore::open(dir.path(), options).await.unwrap());
        let store = SledStore::open(dir.path(), options).await.unwrap();
        folders.lock().unwrap().push(dir);
        store
    })
    .await;
}

#[tokio::test]
async fn opening_again_keeps_all() {
    for durability in [SledDurability::Power, SledDurability::Process] {
        let dir = tempfile::tempdir().unwrap();
        let options = Options { durability };
        let open = async || SledStore::open(dir.path(), options).await.unwrap();
        conformance::check_reopening(open).await;
    }
}

/// Many times over, with a read and a follower given up in the middle each time.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_dropped_store_can_be_opened_at_once() {
    let dir = tempfile::tempdir().unwrap();
    for head in 0..30 {
        let store = SledStore::open(dir.path(), Options::default()).await.unwrap();
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

/// A child that is just being started holds copies of this process's descriptors for a moment.
#[cfg(unix)]
#[tokio::test]
async fn a_dropped_store_can_be_opened_while_children_start() {
    let stop = std::sync::atomic::AtomicBool::new(false);
    let dir = tempfile::tempdir().unwrap();
    let options = Options { durability: SledDurability::Process };
    let runtime = tokio::runtime::Handle::current();
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                    std::process::Command::new("true").status().unwrap();
                }
            });
        }
        let reopening = scope.spawn(|| {
            for _ in 0..100 {
                runtime.block_on(SledStore::open(dir.path(), options))?;
            }
            Ok::<_, silcrow_store::Error>(())
        });
        let reopened = reopening.join();
        stop.store(true, std::sync::atomic::Ordering::Relaxed);
        reopened.unwrap().unwrap();
    });
}

/// An append whose caller has gone is written all the same, or not at all.
#[tokio::test]
async fn an_append_given_up_is_whole() {
    let dir = tempfile::tempdir().unwrap();
    let store = SledStore::open(dir.path(), Options::default()).await.unwrap();
    let batch = vec![Event::user("1").into(), Event::user("2").into()];
    let mut append = store.append("c", 0, batch);
    assert!(once(&mut append).await.is_pending());
    drop(append);
    drop(store);
    let store = SledStore::open(dir.path(), Options::default()).await.unwrap();
    assert_eq!(store.head("c").await.unwrap(), 2);
}

/// Polled one time.
async fn once<F: Future + Unpin>(future: &mut F) -> Poll<F::Output> {
    poll_fn(|context| Poll::Ready(future.poll_unpin(context))).await
}
