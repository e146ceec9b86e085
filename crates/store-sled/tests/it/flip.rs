//! Files changed behind the store's back: whatever is done to them, what is read is what was
//! written, or a typed error.

use std::fs;
use std::path::{Path, PathBuf};

use silcrow_event::Event;
use silcrow_store::{Error, ErrorKind, Store as _};
use silcrow_store_sled::{Options, SledStore};

use crate::chance::Chance;
use crate::work::rounds;

/// What came of a store after its files were changed.
#[derive(Debug, Default)]
struct Seen {
    whole: u64,
    refused: u64,
    in_part: u64,
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_flipped_bit_is_never_believed() {
    let model = filled().await;
    let seen = flipped(model.path()).await;
    assert!(seen.whole > 10 && seen.refused > 10, "{seen:?}");
}

/// Its files are new, and no snapshot says how long they were.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_flipped_bit_after_compacting_is_never_believed() {
    let model = filled().await;
    let compacted = SledStore::compact(model.path()).await.unwrap();
    assert!(compacted.after < compacted.before, "{compacted:?}");
    let seen = flipped(model.path()).await;
    assert!(seen.whole > 10 && seen.refused > 10, "{seen:?}");
}

/// One bit in any file of a store.
async fn flipped(model: &Path) -> Seen {
    let mut seen = Seen::default();
    let mut chance = Chance::new(rounds("SILCROW_SEED", 1));
    for name in files(model) {
        let length = fs::metadata(model.join(&name)).unwrap().len();
        // Small files in every byte, large ones at the edges of their pages and by chance.
        let mut places: Vec<_> = (0..length.min(20)).collect();
        places.extend((0..if length > 20 { 25 } else { 0 }).map(|_| chance.below(length)));
        for at in places {
            let bit = chance.below(8);
            let flip = |bytes: &mut Vec<u8>| bytes[at as usize] ^= 1 << bit;
            seen.check(model, &name, flip, &format!("bit {bit} of byte {at}")).await;
        }
    }
    seen
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_zeroed_or_truncated_page_is_never_believed() {
    let mut seen = Seen::default();
    let model = filled().await;
    let mut chance = Chance::new(rounds("SILCROW_SEED", 1));
    for name in files(model.path()) {
        let length = fs::metadata(model.path().join(&name)).unwrap().len() as usize;
        for _ in 0..if length > PAGE { 12 } else { 1 } {
            let at = chance.below(length as u64 + 1) as usize / PAGE * PAGE;
            let zero = |bytes: &mut Vec<u8>| {
                let end = bytes.len().min(at + PAGE);
                bytes[at..end].fill(0);
            };
            seen.check(model.path(), &name, zero, &format!("zeroes from {at}")).await;
            let cut = chance.below(length as u64 + 1) as usize;
            let truncate = |bytes: &mut Vec<u8>| bytes.truncate(cut);
            seen.check(model.path(), &name, truncate, &format!("{cut} bytes long")).await;
        }
    }
    assert!(seen.refused > 5, "{seen:?}");
}

/// Snapshots only make opening quick: without them all is there.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_damaged_snapshot_costs_nothing() {
    let mut seen = Seen::default();
    let model = filled().await;
    let snapshot = |name: &PathBuf| name.to_str().unwrap().starts_with("data/snap.");
    let name = files(model.path()).into_iter().find(snapshot).expect("there is a snapshot");
    let length = fs::metadata(model.path().join(&name)).unwrap().len() as usize;
    for at in (0..length).step_by(length / 15) {
        let flip = |bytes: &mut Vec<u8>| bytes[at] ^= 4;
        seen.check(model.path(), &name, flip, &format!("byte {at}")).await;
        let cut = |bytes: &mut Vec<u8>| bytes.truncate(at);
        seen.check(model.path(), &name, cut, &format!("{at} bytes long")).await;
    }
    assert!(seen.whole >= 30 && seen.refused + seen.in_part == 0, "{seen:?}");
}

/// A store that was opened a second time, so that it has a snapshot that says something.
async fn filled() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for session in 0..3 {
        let store = SledStore::open(dir.path(), Options::default()).await.unwrap();
        for log in 0..4 {
            let batch = (0..10).map(|n| Event::user(content(log, session * 10 + n + 1)).into());
            store.append(&name(log), session * 10, batch.collect()).await.unwrap();
        }
        store.put("s", "k", session, vec![session as u8; 6_000]).await.unwrap();
    }
    dir
}

fn name(log: u64) -> String {
    format!("log {log}")
}

fn content(log: u64, position: u64) -> String {
    format!("{log} {position} ").chars().cycle().take(position as usize * 97 % 6_000).collect()
}

fn files(dir: &Path) -> Vec<PathBuf> {
    let below = |folder: &Path| -> Vec<PathBuf> {
        let entries = fs::read_dir(dir.join(folder)).unwrap().map(Result::unwrap);
        entries
            .filter(|entry| entry.path().is_file())
            .map(|entry| folder.join(entry.file_name()))
            .collect()
    };
    let mut files = [below(Path::new("")), below(Path::new("data"))].concat();
    files.sort();
    files
}

impl Seen {
    async fn check(
        &mut self,
        model: &Path,
        name: &Path,
        change: impl FnOnce(&mut Vec<u8>),
        what: &str,
    ) {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join("data/blobs")).unwrap();
        for name in files(model) {
            fs::copy(model.join(&name), dir.path().join(&name)).unwrap();
        }
        let path = dir.path().join(name);
        let mut bytes = fs::read(&path).unwrap();
        change(&mut bytes);
        fs::write(&path, bytes).unwrap();
        match read(dir.path()).await {
            Ok(0) => self.whole += 1,
            Ok(_) => self.in_part += 1,
            Err(error) => {
                let kind = error.kind();
                use ErrorKind::{Damaged, Format, Io, Unavailable};
                let typed = matches!(kind, Damaged | Format | Io | Unavailable);
                assert!(typed, "{name:?}, {what}: {error}");
                self.refused += 1;
            }
        }
    }
}

/// How many places are damaged in a store that opens; what is not must be what was written.
async fn read(dir: &Path) -> Result<usize, Error> {
    let store = SledStore::open(dir, Options::default()).await?;
    let mut wrong = 0;
    for log in 0..4 {
        match store.head(&name(log)).await {
            Ok(head) => assert_eq!(head, 30, "{}: events are gone, and nobody says so", name(log)),
            Err(_) => wrong += 1,
        }
        for position in 1..=30 {
            match store.read(&name(log), position..=position).await {
                Ok(entries) => {
                    assert_eq!(entries[0].event, Event::user(content(log, position)));
                }
                Err(_) => wrong += 1,
            }
        }
    }
    match store.get("s", "k").await {
        Ok(kept) => assert_eq!(kept.unwrap().value, vec![2; 6_000]),
        Err(_) => wrong += 1,
    }
    let report = store.verify().await?;
    assert_eq!(report.damage.is_empty(), wrong == 0, "{report:?}");
    Ok(wrong)
}

/// In bytes.
const PAGE: usize = 4_096;
