//! Checks of `get` and `put`.

use std::sync::Arc;

use super::{must, must_fail};
use crate::error::ErrorKind;
use crate::store::{Store, Versioned};

pub(super) async fn compare(store: Arc<dyn Store>) {
    must_be(&*store, None).await;
    must_fail("a put that expects a version where there is none", ErrorKind::Conflict, {
        store.put("s", "k", 1, b"no".to_vec()).await
    });
    must_be(&*store, None).await;
    for (version, value) in (0..).zip(["one", "two", "", "four"]) {
        let what = format!("a put over version {version}");
        let given = must(&what, store.put("s", "k", version, value.into()).await);
        assert_eq!(given, version + 1, "{what} gives one more, not {given}");
        must_be(&*store, Some((given, value))).await;
        for wrong in [0, version, version + 2, u64::MAX].into_iter().filter(|v| *v != given) {
            let what = format!("a put that expects version {wrong} where it is {given}");
            let put = store.put("s", "k", wrong, b"no".to_vec()).await;
            must_fail(&what, ErrorKind::Conflict, put);
            must_be(&*store, Some((given, value))).await;
        }
    }
    let list = must("listing", store.list(None).await);
    assert!(list.is_empty(), "a value must not make a conversation: {list:?}");
}

pub(super) async fn exact(store: Arc<dyn Store>) {
    let every: Vec<u8> = (0..=255).collect();
    let values = [
        vec![],
        vec![0],
        vec![255; 3],
        every.clone(),
        every.iter().copied().cycle().take(4_096).collect(),
        every.iter().copied().cycle().take(65_537).collect(),
        (0_u32..1 << 18).flat_map(u32::to_be_bytes).collect(),
        b"short again".to_vec(),
        (0_u32..10_000).flat_map(u32::to_le_bytes).collect(),
    ];
    for (version, value) in (0..).zip(values) {
        let size = value.len();
        let what = format!("a put of {size} bytes");
        must(&what, store.put("s", "k", version, value.clone()).await);
        let given = must("getting", store.get("s", "k").await);
        let Some(given) = given else { panic!("{what} left no value") };
        assert_eq!(given.version, version + 1, "after {what} the version is {}", given.version);
        assert!(given.value == value, "{size} bytes came back as {} others", given.value.len());
    }
}

async fn must_be(store: &dyn Store, wanted: Option<(u64, &str)>) {
    let given = must("getting", store.get("s", "k").await);
    let wanted = wanted.map(|(version, value)| Versioned { version, value: value.into() });
    assert_eq!(given, wanted, "the value is {given:?}, though {wanted:?} was acknowledged");
}
