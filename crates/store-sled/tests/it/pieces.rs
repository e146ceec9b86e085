use std::fs;

use silcrow_event::{Entry, Event};
use silcrow_store::Store as _;
use silcrow_store_sled::{Options, SledDurability, SledStore};

use crate::raw;

fn sized(size: usize) -> Entry {
    Event::user((0..size).map(|n| char::from(b'a' + (n % 26) as u8)).collect::<String>()).into()
}

/// Around the limit of a piece and of several, all in one log.
#[tokio::test]
async fn events_of_60_bytes_to_300_kb_come_back() {
    let dir = tempfile::tempdir().unwrap();
    let edges = [4_096, 8_192, 65_536].into_iter().flat_map(|edge| edge - 60..edge + 2);
    let sizes: Vec<_> = [0, 60, 300, 1_000].into_iter().chain(edges).chain([300_000]).collect();
    let options = Options { durability: SledDurability::Process };
    {
        let store = SledStore::open(dir.path(), options).await.unwrap();
        let batch = sizes.iter().map(|&size| sized(size)).collect();
        store.append("c", 0, batch).await.unwrap();
    }
    let store = SledStore::open(dir.path(), options).await.unwrap();
    let entries = store.read("c", 1..=u64::MAX).await.unwrap();
    assert_eq!(entries.len(), sizes.len());
    for (entry, size) in entries.iter().zip(sizes) {
        assert_eq!(entry.event, sized(size).event);
    }
}

/// What sled writes to files of their own it never syncs, so there must be none, however long the
/// names and the contents.
#[tokio::test]
async fn nothing_lands_in_a_file_that_is_never_synced() {
    let dir = tempfile::tempdir().unwrap();
    let options = Options { durability: SledDurability::Process };
    let store = SledStore::open(dir.path(), options).await.unwrap();
    let name = "n".repeat(256);
    let mut head = 0;
    for round in 0..60 {
        let batch = vec![sized(4_000), sized(4_050), sized(70_000 + round), sized(3_900)];
        head = store.append(&name, head, batch).await.unwrap();
        store.put(&name, &name, round as u64, vec![7; 4_080]).await.unwrap();
        store.put(&name, &name[1..], round as u64, vec![7; 40_000 + round]).await.unwrap();
    }
    let blobs = || fs::read_dir(dir.path().join("data/blobs")).unwrap().count();
    assert_eq!(blobs(), 0);
    drop(store);
    assert_eq!(blobs(), 0);
}

/// Each put takes the pieces of the one before away.
#[tokio::test]
async fn replaced_values_leave_nothing() {
    let dir = tempfile::tempdir().unwrap();
    {
        let store = SledStore::open(dir.path(), Options::default()).await.unwrap();
        for (version, size) in (0..).zip([50_000, 10, 20_000, 0, 9_000]) {
            store.put("s", "k", version, vec![1; size]).await.unwrap();
        }
    }
    let db = raw::open(dir.path());
    assert_eq!(db.open_tree("part").unwrap().len(), 3);
    assert_eq!(db.open_tree("value").unwrap().len(), 1);
}

/// Neither its events, nor their pieces, nor its values.
#[tokio::test]
async fn what_is_deleted_leaves_nothing() {
    let dir = tempfile::tempdir().unwrap();
    {
        let store = SledStore::open(dir.path(), Options::default()).await.unwrap();
        store.append("c", 0, vec![sized(10), sized(20_000), sized(5_000)]).await.unwrap();
        store.put("s/c", "k", 0, vec![1; 9_000]).await.unwrap();
        store.put("s/c", "k", 1, vec![1; 30_000]).await.unwrap();
        store.put("s/d", "k", 0, vec![1; 5_000]).await.unwrap();
        // All in one group, as far as it can be.
        let (append, put) =
            (store.append("c", 3, vec![sized(9_000)]), store.put("t/c", "k", 0, vec![2; 9_000]));
        let (append, put, delete) = tokio::join!(append, put, store.delete("c", 4));
        assert_eq!((append.unwrap(), put.unwrap()), (4, 1));
        delete.unwrap();
    }
    let db = raw::open(dir.path());
    let left = ["ev", "meta", "part", "value"].map(|tree| db.open_tree(tree).unwrap().len());
    // The clock, and the value of another.
    assert_eq!(left, [0, 1, 2, 1]);
}

/// A value that is replaced while it is read is one version or the other.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_value_read_while_it_is_replaced_is_whole() {
    let dir = tempfile::tempdir().unwrap();
    let options = Options { durability: SledDurability::Process };
    let store = SledStore::open(dir.path(), options).await.unwrap();
    store.put("s", "k", 0, vec![0; 50_000]).await.unwrap();
    let write = async {
        for version in 1..150_u64 {
            store.put("s", "k", version, vec![version as u8; 50_000]).await.unwrap();
        }
    };
    let read = async {
        let mut last = 0;
        while last < 150 {
            let kept = store.get("s", "k").await.unwrap().unwrap();
            assert!(kept.version >= last, "versions went backwards");
            assert_eq!(kept.value, vec![(kept.version - 1) as u8; 50_000]);
            last = kept.version;
        }
    };
    tokio::join!(write, read, async {
        // A second reader, on a thread of its own as every read is.
        for _ in 0..100 {
            store.get("s", "k").await.unwrap();
        }
    });
}
