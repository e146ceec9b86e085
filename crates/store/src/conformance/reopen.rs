//! Checks of a store that is closed and opened again.

use silcrow_event::Entry;

use super::sample::{batch, every_kind, said};
use super::{append, must, must_hold, placed};
use crate::store::Store;

pub(super) async fn fill(store: &dyn Store) {
    append(store, "kinds", 0, every_kind()).await;
    for at in 0..100 {
        append(store, "long", at, batch(at as usize..at as usize + 1)).await;
    }
    append(store, "a", 0, batch(0..2)).await;
    append(store, "a\0", 0, batch(2..4)).await;
    append(store, "long", 100, vec![]).await;
    let theirs = Entry { user: Some("ann".to_owned()), ..said(6) };
    append(store, "theirs", 0, vec![theirs]).await;
    for version in 0..3 {
        must("putting", store.put("s", "k", version, value(version as usize)).await);
    }
    must("putting", store.put("s", "big", 0, value(1 << 20)).await);
}

pub(super) async fn compare(store: &dyn Store) {
    must_hold(store, "kinds", &placed(0, every_kind())).await;
    must_hold(store, "long", &placed(0, batch(0..100))).await;
    must_hold(store, "a", &placed(0, batch(0..2))).await;
    must_hold(store, "a\0", &placed(0, batch(2..4))).await;
    let list = must("listing", store.list(None).await);
    let order: Vec<_> = list.iter().map(|summary| &*summary.conversation).collect();
    assert_eq!(order, ["theirs", "a\0", "a", "long", "kinds"], "the order of the list changed");
    let long = &list[3];
    assert_eq!(list[0].user.as_deref(), Some("ann"), "whose a conversation is changed");
    assert_eq!((long.title.as_str(), long.events), ("line 0", 100), "a summary changed");
    let times = [batch(0..1), batch(99..100)].map(|entries| entries[0].timestamp);
    assert_eq!([Some(long.first), Some(long.last)], times, "the times of a summary changed");
    for (key, version, size) in [("k", 3, 2), ("big", 1, 1 << 20)] {
        let kept = must("getting", store.get("s", key).await).expect("a value is lost");
        assert_eq!(kept.version, version, "the version of {key:?} changed");
        assert!(kept.value == value(size), "the value of {key:?} changed");
    }
}

/// Appends and puts to a store that was opened again.
pub(super) async fn go_on(store: &dyn Store) {
    store.append("a", 0, batch(0..1)).await.expect_err("an append at an old head must fail");
    append(store, "a", 2, batch(4..5)).await;
    append(store, "new", 0, batch(5..6)).await;
    let list = must("listing", store.list(None).await);
    let order: Vec<_> = list.iter().map(|summary| &*summary.conversation).collect();
    assert_eq!(order, ["new", "a", "theirs", "a\0", "long", "kinds"], "new appends come first");
    let version = must("putting over an old value", store.put("s", "k", 3, value(9)).await);
    assert_eq!(version, 4, "versions continue from the old one");
}

fn value(size: usize) -> Vec<u8> {
    (0..size).map(|byte| (byte % 251) as u8).collect()
}
