//! Checks of `delete`.

use std::sync::Arc;

use futures_util::future::join_all;

use super::sample::{batch, every_kind};
use super::{append, must, must_fail, must_hold};
use crate::error::ErrorKind;
use crate::store::Store;

pub(super) async fn whole(store: Arc<dyn Store>) {
    append(&*store, "a", 0, every_kind()).await;
    let head = every_kind().len() as u64;
    let others = ["a\0", "aa", "A", "b/a", " "];
    for other in others {
        append(&*store, other, 0, batch(1..4)).await;
    }
    for (space, key) in [("started/a", "1"), ("started/a", "2"), ("lease/a", "k"), ("/a", "z")] {
        must("putting", store.put(space, key, 0, vec![7; 20_000]).await);
    }
    let kept = [("a", "k"), ("started", "a"), ("started/aa", "k"), ("x/y/a", "k"), ("/b/a", "k")];
    for (space, key) in kept {
        must("putting", store.put(space, key, 0, b"kept".to_vec()).await);
    }

    for wrong in [0, head - 1, head + 1, u64::MAX] {
        let what = format!("a deletion that expects head {wrong} where it is {head}");
        must_fail(&what, ErrorKind::Conflict, store.delete("a", wrong).await);
    }
    must_hold(&*store, "a", &super::placed(0, every_kind())).await;
    must("deleting a conversation", store.delete("a", head).await);

    must_hold(&*store, "a", &[]).await;
    let list = must("listing", store.list(None).await);
    assert!(list.iter().all(|one| one.conversation != "a"), "what was deleted is listed");
    assert_eq!(list.len(), others.len(), "a deletion took other conversations with it");
    for other in others {
        must_hold(&*store, other, &super::placed(0, batch(1..4))).await;
    }
    let mut wanted = kept.map(|(space, key)| (space.to_owned(), key.to_owned()));
    wanted.sort();
    let keys = must("asking for the keys", store.keys().await);
    assert_eq!(keys, wanted, "the values in spaces that belong to it go, and no others");
}

pub(super) async fn anew(store: Arc<dyn Store>) {
    for round in 0..3 {
        let entries = append(&*store, "c", 0, batch(round * 10..round * 10 + 5)).await;
        must("putting", store.put("started/c", "k", 0, vec![round as u8; 9_000]).await);
        must_hold(&*store, "c", &entries).await;
        let kept = must("getting", store.get("started/c", "k").await);
        let value = kept.expect("a value was put").value;
        assert!(value == vec![round as u8; 9_000], "a value of an earlier conversation came back");
        must("deleting", store.delete("c", 5).await);
        must_hold(&*store, "c", &[]).await;
    }
    must("deleting what is not there", store.delete("c", 0).await);
    must_fail("deleting again", ErrorKind::Conflict, store.delete("c", 5).await);
}

/// Appends to a conversation and deletes it, all at the same time.
pub(super) async fn race(store: Arc<dyn Store>) {
    for round in 0..20 {
        let tasks = (0..6).map(|number| {
            let store = Arc::clone(&store);
            tokio::spawn(async move {
                let head = store.head("c").await?;
                match number % 3 {
                    0 => store.delete("c", head).await.map(|()| 0),
                    1 => store.append("c", head, batch(round..round + 2)).await,
                    _ => store.read("c", 1..=u64::MAX).await.map(|entries| entries.len() as u64),
                }
            })
        });
        for done in join_all(tasks.collect::<Vec<_>>()).await {
            match done.expect("the store does not panic") {
                Err(error) if error.kind() != ErrorKind::Conflict => {
                    panic!("appends, reads and deletions only fail as Conflict, not {error:?}");
                }
                _ => {}
            }
        }
        let head = must("asking for the head", store.head("c").await);
        let read = must("reading a log", store.read("c", 1..=u64::MAX).await);
        assert_eq!(read.len() as u64, head, "a log is as long as its head");
    }
}
