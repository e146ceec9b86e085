//! Checks of conversation ids, spaces and keys.

use std::sync::Arc;

use futures_util::StreamExt as _;

use super::sample::{batch, said_text};
use super::{append, must, must_fail, must_hold};
use crate::error::ErrorKind::Refused;
use crate::store::Store;

pub(super) async fn limits(store: Arc<dyn Store>) {
    let long = "n".repeat(257);
    // These are 129 characters of 2 bytes each, because the limit is in bytes.
    let wide = "§".repeat(129);
    for name in ["", &long, &wide] {
        let size = name.len();
        let what = |verb: &str| format!("{verb} under a name of {size} bytes");
        must_fail(&what("append"), Refused, store.append(name, 0, batch(0..1)).await);
        must_fail(&what("append of nothing"), Refused, store.append(name, 0, vec![]).await);
        must_fail(&what("read"), Refused, store.read(name, 1..=1).await);
        must_fail(&what("head"), Refused, store.head(name).await);
        let mut follow = store.follow(name, 0);
        let Some(first) = follow.next().await else {
            panic!("{} must give an error, but ended", what("follow"));
        };
        must_fail(&what("follow"), Refused, first);
        let end = follow.next().await.is_none();
        assert!(end, "{} must end after its error", what("follow"));
        must_fail(&what("get in a space"), Refused, store.get(name, "k").await);
        must_fail(&what("get of a key"), Refused, store.get("s", name).await);
        must_fail(&what("put in a space"), Refused, store.put(name, "k", 0, vec![]).await);
        must_fail(&what("put of a key"), Refused, store.put("s", name, 0, vec![]).await);
    }
    let list = must("listing", store.list(None).await);
    assert!(list.is_empty(), "refused names must leave nothing, but there is {list:?}");
}

/// Each name has its own log and values, however similar the names are.
pub(super) async fn apart(store: Arc<dyn Store>) {
    let longest = "n".repeat(256);
    let wide = "§".repeat(128);
    let names = [
        "a",
        "b",
        "aa",
        "ab",
        "a\0",
        "a\0\0",
        "\0",
        "\0a",
        "a\0\0\0\0\0\0\0\u{1}",
        "a\u{1}",
        "A",
        "a/b",
        "/",
        "a/",
        "../a",
        ".",
        "..",
        "a b",
        " a",
        "a ",
        "a\n",
        "\"",
        "'",
        "%00",
        "a%00",
        "ä",
        "a\u{308}",
        "ﬁ",
        "𝄞",
        "\u{10ffff}",
        "\u{7f}",
        "ev",
        "meta",
        "a:1",
        "a-1",
        "1",
        "01",
        &longest,
        &longest[1..],
        &wide,
    ];
    for (number, name) in names.iter().enumerate() {
        append(&*store, name, 0, batch(number..number + 2)).await;
        // The same name as a space and as a key has separate values.
        must("putting", store.put(name, "k", 0, format!("space {name}").into()).await);
        must("putting", store.put("s", name, 0, format!("key {name}").into()).await);
    }
    must("putting", store.put("ab", "c", 0, b"ab c".to_vec()).await);
    must("putting", store.put("a", "bc", 0, b"a bc".to_vec()).await);

    for (number, name) in names.iter().enumerate() {
        append(&*store, name, 2, batch(number + 2..number + 3)).await;
    }
    for (number, name) in names.iter().enumerate() {
        let kept = super::placed(0, batch(number..number + 3));
        must_hold(&*store, name, &kept).await;
        for (space, key, wanted) in
            [(*name, "k", format!("space {name}")), ("s", *name, format!("key {name}"))]
        {
            let value = must("getting", store.get(space, key).await).map(|kept| kept.value);
            let given = value.map(|value| String::from_utf8_lossy(&value).into_owned());
            assert_eq!(
                given.as_ref(),
                Some(&wanted),
                "the value {key:?} in {space:?} is another's"
            );
        }
    }
    for (space, key, wanted) in [("ab", "c", "ab c"), ("a", "bc", "a bc")] {
        let value = must("getting", store.get(space, key).await).map(|kept| kept.value);
        assert_eq!(value.as_deref(), Some(wanted.as_bytes()), "{key:?} in {space:?} is another's");
    }
    let list = must("listing", store.list(None).await);
    for (number, name) in names.iter().enumerate() {
        let of = |title: &str| format!("the list must hold {name:?} once, titled {title:?}");
        let title = said_text(number);
        let found: Vec<_> = list.iter().filter(|one| one.conversation == *name).collect();
        assert!(found.len() == 1 && found[0].title == title, "{}: {found:?}", of(&title));
    }
    assert_eq!(list.len(), names.len(), "the list holds conversations that nobody made");
}
