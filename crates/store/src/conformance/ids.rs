//! Checks of `ids_beginning_with`.

use std::sync::Arc;

use super::sample::batch;
use super::{append, must};
use crate::store::Store;

pub(super) async fn beginning(store: Arc<dyn Store>) {
    for id in ["a", "a/1/b", "a/1/b/2/c", "ab", "a/", "b", "ä", "A"] {
        append(&*store, id, 0, batch(0..2)).await;
    }
    // Neither a relic nor a space without a `/` belongs to a conversation.
    let spaces = ["granted/a/2/d", "spent/a", "x/y", "relic/a/9", "a/0", "spent", "x/"];
    for space in spaces {
        must("putting", store.put(space, "k", 0, b"v".to_vec()).await);
    }
    append(&*store, "a/3/gone", 0, batch(0..1)).await;
    must("deleting", store.delete("a/3/gone", 1).await);
    let cases: [(&str, &[&str]); 7] = [
        ("a/", &["a/", "a/1/b", "a/1/b/2/c", "a/2/d"]),
        ("a", &["a", "a/", "a/1/b", "a/1/b/2/c", "a/2/d", "ab"]),
        ("a/1/b/", &["a/1/b/2/c"]),
        ("ä", &["ä"]),
        ("ac", &[]),
        ("\u{10ffff}", &[]),
        ("", &["0", "A", "a", "a/", "a/1/b", "a/1/b/2/c", "a/2/d", "ab", "b", "y", "ä"]),
    ];
    for (text, wanted) in cases {
        let ids = must("asking for ids", store.ids_beginning_with(text).await);
        assert_eq!(ids, wanted, "the ids that begin with {text:?}");
    }
    let long = "a".repeat(300);
    let ids = must("asking for ids", store.ids_beginning_with(&long).await);
    assert!(ids.is_empty(), "no id is as long, and not {ids:?}");
}
