//! Checks of `hold`.

use std::sync::Arc;

use super::sample::batch;
use super::{append, must, must_fail, must_hold};
use crate::error::ErrorKind;
use crate::store::Store;

/// A run after the other holds a conversation, and writes to it as without a hold.
pub(super) async fn again(store: Arc<dyn Store>) {
    let hold = must("holding an unknown conversation", store.hold("c").await);
    let other = must("holding another conversation meanwhile", store.hold("c/1/a1").await);
    let list = must("listing", store.list(None).await);
    assert!(list.is_empty(), "a hold is no conversation: {list:?}");
    let mut kept = append(&*store, "c", 0, batch(0..2)).await;
    must("putting", store.put("started/c", "1/a1", 0, vec![]).await);
    must_fail("a put over a version that is not there", ErrorKind::Conflict, {
        store.put("started/c", "1/a1", 0, vec![]).await
    });
    must_fail("an append at an old head", ErrorKind::Conflict, {
        store.append("c", 1, batch(7..9)).await
    });
    assert!(!hold.is_lost(), "nobody took the conversation over");
    hold.release().await;
    other.release().await;

    let hold = must("holding a conversation that was released", store.hold("c").await);
    kept.extend(append(&*store, "c", 2, batch(2..4)).await);
    must("putting", store.put("started/c", "1/a1", 1, vec![1]).await);
    hold.release().await;
    kept.extend(append(&*store, "c", 4, batch(4..5)).await);
    must_hold(&*store, "c", &kept).await;
    let list = must("listing", store.list(None).await);
    assert_eq!(list.len(), 1, "a hold without events leaves no conversation: {list:?}");

    let hold = must("holding a conversation to delete it", store.hold("c").await);
    must("deleting", store.delete("c", 5).await);
    hold.release().await;
    must_hold(&*store, "c", &[]).await;
}
