use std::fs;
use std::path::Path;

use silcrow_event::{Entry, Event};
use silcrow_store::{ErrorKind, Store as _};
use silcrow_store_sled::{Options, SledStore};

use crate::raw;

async fn open(dir: &Path) -> Result<SledStore, silcrow_store::Error> {
    SledStore::open(dir, Options::default()).await
}

/// Ten events, the fourth in pieces, and a value.
async fn filled(dir: &Path) {
    filled_but(dir, 0).await;
}

/// The same, with another event at `position`.
async fn filled_but(dir: &Path, position: u64) {
    let store = open(dir).await.unwrap();
    for head in 0..10 {
        let text = if head + 1 == position { "y" } else { "x" };
        let size = if head == 3 { 20_000 } else { 100 };
        let batch: Vec<Entry> = vec![Event::user(text.repeat(size)).into()];
        store.append("c", head, batch).await.unwrap();
    }
    store.put("s", "k", 0, b"value".to_vec()).await.unwrap();
}

/// The value under the key of `tree` that ends in `end`.
fn change(dir: &Path, tree: &str, end: &[u8], change: impl FnOnce(&mut Vec<u8>)) {
    let db = raw::open(dir);
    let tree = db.open_tree(tree).unwrap();
    let found = tree.iter().map(Result::unwrap).find(|(key, _)| key.ends_with(end));
    let (key, value) = found.expect("there is such a key");
    let mut value = value.to_vec();
    change(&mut value);
    tree.insert(key, value).unwrap();
    db.flush().unwrap();
}

/// Every byte of a record is covered: its head, its checksum and its content.
#[tokio::test]
async fn a_flipped_byte_of_an_event_is_noticed() {
    let dir = tempfile::tempdir().unwrap();
    filled(dir.path()).await;
    for at in [0, 1, 2, 5, 6, 9, 10, 60, usize::MAX] {
        let flip = |value: &mut Vec<u8>| {
            let at = at.min(value.len() - 1);
            value[at] ^= 0x40;
        };
        let position = 5_u64.to_be_bytes();
        change(dir.path(), "ev", &position, flip);
        {
            let store = open(dir.path()).await.unwrap();
            let error = store.read("c", 1..=10).await.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Damaged, "byte {at}");
            let wanted = "event 5 of conversation \"c\" in the store ";
            assert!(error.to_string().starts_with(wanted), "byte {at}: {error}");
            assert_eq!(store.read("c", 1..=4).await.unwrap().len(), 4);
            assert_eq!(store.read("c", 6..=10).await.unwrap().len(), 5);
            assert_eq!(store.head("c").await.unwrap(), 10);
        }
        change(dir.path(), "ev", &position, flip);
        assert_eq!(open(dir.path()).await.unwrap().read("c", 1..=10).await.unwrap().len(), 10);
    }
}

#[tokio::test]
async fn a_flipped_byte_of_a_piece_is_noticed() {
    let dir = tempfile::tempdir().unwrap();
    filled(dir.path()).await;
    change(dir.path(), "part", &2_u32.to_be_bytes(), |piece| piece[1_000] ^= 1);
    let store = open(dir.path()).await.unwrap();
    let error = store.read("c", 4..=4).await.unwrap_err();
    assert!(error.to_string().contains("event 4 of"), "{error}");
    assert!(error.to_string().contains("its checksum is wrong"), "{error}");
    assert_eq!(store.read("c", 5..=10).await.unwrap().len(), 6);
}

/// A record that is whole and in the wrong place is as wrong as a broken one.
#[tokio::test]
async fn an_event_in_anothers_place_is_noticed() {
    let dir = tempfile::tempdir().unwrap();
    filled(dir.path()).await;
    let mut other = Vec::new();
    change(dir.path(), "ev", &6_u64.to_be_bytes(), |value| other.clone_from(value));
    change(dir.path(), "ev", &7_u64.to_be_bytes(), |value| *value = other);
    let error = open(dir.path()).await.unwrap().read("c", 1..=10).await.unwrap_err();
    assert!(error.to_string().contains("event 7 of"), "{error}");
}

/// An event replaced on purpose has a right checksum; the one after it, or the summary, tells.
#[tokio::test]
async fn a_replaced_event_is_noticed() {
    for position in [5_u64, 10] {
        let (dir, forger) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        filled(dir.path()).await;
        filled_but(forger.path(), position).await;
        let mut forged = Vec::new();
        let place = position.to_be_bytes();
        change(forger.path(), "ev", &place, |value| forged.clone_from(value));
        change(dir.path(), "ev", &place, |value| *value = forged);
        let store = open(dir.path()).await.unwrap();
        assert_eq!(store.read("c", 1..=position - 1).await.unwrap().len() as u64, position - 1);
        let error = store.read("c", 1..=10).await.unwrap_err();
        let wanted = format!("event {position} of conversation \"c\"");
        assert!(error.to_string().starts_with(&wanted), "{error}");
        assert!(error.to_string().contains("it is not the one that was appended"), "{error}");
    }
}

/// What is damaged is told with its place and how far it reaches, and nothing else is.
#[tokio::test]
async fn verify_tells_where_and_how_far() {
    let dir = tempfile::tempdir().unwrap();
    filled(dir.path()).await;
    {
        let store = open(dir.path()).await.unwrap();
        let said = |n: u64| vec![Event::user(format!("line {n}")).into()];
        for head in 0..150 {
            store.append("long", head, said(head)).await.unwrap();
        }
        store.append("stray", 0, said(1)).await.unwrap();
    }
    let long = |position: u64| [&b"\x03long"[..], &position.to_be_bytes()].concat();
    for position in [3, 4, 5, 64, 65, 100, 150] {
        change(dir.path(), "ev", &long(position), |value| *value.last_mut().unwrap() ^= 1);
    }
    let mut other = Vec::new();
    {
        let forger = tempfile::tempdir().unwrap();
        filled_but(forger.path(), 7).await;
        change(forger.path(), "ev", &7_u64.to_be_bytes(), |value| other.clone_from(value));
    }
    change(dir.path(), "ev", &[&b"\0c"[..], &7_u64.to_be_bytes()].concat(), |value| *value = other);
    raw::open(dir.path()).open_tree("meta").unwrap().remove(b"\x04stray").unwrap();

    let report = open(dir.path()).await.unwrap().verify().await.unwrap();
    assert_eq!((report.conversations, report.events, report.values), (2, 9 + 143, 1));
    let places: Vec<_> = report.damage.iter().map(|one| one.place.to_string()).collect();
    let wanted = [
        "events 3 to 5 of conversation \"long\"",
        "events 64 to 65 of conversation \"long\"",
        "event 100 of conversation \"long\"",
        "event 150 of conversation \"long\"",
        "event 7 of conversation \"c\"",
        "event 1 of conversation \"stray\"",
    ];
    assert_eq!(places, wanted);
}

#[tokio::test]
async fn a_missing_event_or_piece_is_noticed() {
    for (tree, end, words) in [
        ("ev", &8_u64.to_be_bytes()[..], ["event 8 of", "it is missing"]),
        ("ev", &10_u64.to_be_bytes()[..], ["event 10 of", "it is missing"]),
        ("part", &1_u32.to_be_bytes()[..], ["event 4 of", "a piece of it is missing"]),
    ] {
        let dir = tempfile::tempdir().unwrap();
        filled(dir.path()).await;
        {
            let db = raw::open(dir.path());
            let tree = db.open_tree(tree).unwrap();
            let mut keys = tree.iter().keys().map(Result::unwrap);
            tree.remove(keys.find(|key| key.ends_with(end)).unwrap()).unwrap();
        }
        let error = open(dir.path()).await.unwrap().read("c", 1..=10).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Damaged);
        assert!(words.iter().all(|words| error.to_string().contains(words)), "{error}");
    }
}

#[tokio::test]
async fn a_flipped_byte_of_a_value_or_summary_is_noticed() {
    let dir = tempfile::tempdir().unwrap();
    filled(dir.path()).await;
    change(dir.path(), "value", b"k", |value| value[20] ^= 1);
    change(dir.path(), "meta", b"c", |value| value[12] ^= 1);
    let store = open(dir.path()).await.unwrap();
    let error = store.get("s", "k").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Damaged);
    assert!(error.to_string().starts_with("the value \"k\" in \"s\" in the store"), "{error}");
    for error in
        [store.append("c", 10, vec![]).await.unwrap_err(), store.delete("c", 10).await.unwrap_err()]
    {
        assert_eq!(error.kind(), ErrorKind::Damaged);
        assert!(error.to_string().starts_with("the summary of conversation \"c\""), "{error}");
    }
    // Readers make the summary again from the events.
    assert_eq!(store.head("c").await.unwrap(), 10);
    assert_eq!(store.read("c", 1..=10).await.unwrap().len(), 10);
    let list = store.list(None).await.unwrap();
    assert_eq!((list.len(), list[0].events, list[0].title.len()), (1, 10, 80));
    let report = store.verify().await.unwrap();
    assert_eq!((report.conversations, report.events, report.values), (1, 10, 0));
    let places: Vec<_> = report.damage.iter().map(|one| one.place.to_string()).collect();
    assert_eq!(places, ["the value \"k\" in \"s\"", "the summary of conversation \"c\""]);
    // Nobody else suffers.
    store.append("d", 0, vec![Event::user("x").into()]).await.unwrap();
    store.put("s", "other", 0, vec![1]).await.unwrap();
}

/// Whatever is in sled's files, opening ends, and with an error that says what to do.
#[tokio::test]
async fn garbage_in_the_data_file_is_no_panic() {
    let dir = tempfile::tempdir().unwrap();
    filled(dir.path()).await;
    let path = dir.path().join("data/db");
    let mut db = fs::read(&path).unwrap();
    let middle = db.len() / 3;
    for byte in &mut db[..middle] {
        *byte = !*byte;
    }
    fs::write(&path, db).unwrap();
    let error = open(dir.path()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Damaged);
    assert!(error.to_string().contains("put a copy in their place"), "{error}");
}
