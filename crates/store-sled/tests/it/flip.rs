//! Files that something else has changed: whatever is done to them, what is read is what was
//! written, or an error says that it is not, and the files stay as they are.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::{Path, PathBuf};

use silcrow_store::verify::Report;
use silcrow_store::{Error, ErrorKind};
use silcrow_store_sled::SledReader;

use crate::old_store::{self, EXPORT};

/// The outcomes of reading changed stores.
#[derive(Debug, Default)]
struct Outcomes {
    whole: u64,
    rejected: u64,
    damaged: u64,
}

#[test]
fn a_flipped_bit_is_never_believed() {
    let mut seen = Outcomes::default();
    for (name, length) in files() {
        // Small files in every byte, long ones at their beginning and in steps.
        let step = (length / 20).max(1);
        for at in (0..length.min(20)).chain((20..length).step_by(step)) {
            let flip = |bytes: &mut Vec<u8>| bytes[at] ^= 1 << (at % 8);
            seen.check(&name, flip, &format!("byte {at}"));
        }
    }
    assert!(seen.whole > 10 && seen.rejected > 10, "{seen:?}");
}

#[test]
fn a_zeroed_or_truncated_page_is_never_believed() {
    let mut seen = Outcomes::default();
    for (name, length) in files() {
        for at in (0..length).step_by((length / 12).max(PAGE)) {
            let zero = |bytes: &mut Vec<u8>| {
                let end = bytes.len().min(at + PAGE);
                bytes[at..end].fill(0);
            };
            seen.check(&name, zero, &format!("zeros from {at}"));
            let truncate = |bytes: &mut Vec<u8>| bytes.truncate(at + 100);
            seen.check(&name, truncate, &format!("{at} bytes and 100"));
        }
    }
    assert!(seen.rejected > 5, "{seen:?}");
}

/// Snapshots only make opening quick, and the settings are always the same: without them
/// everything is there.
#[test]
fn damage_beside_the_log_costs_nothing() {
    for begin in ["data/snap.", "data/conf"] {
        let mut seen = Outcomes::default();
        let is_wanted = |name: &Path| name.to_str().unwrap().starts_with(begin);
        let (name, length) = files().into_iter().find(|(name, _)| is_wanted(name)).unwrap();
        for at in (0..length).step_by(length / 15) {
            seen.check(&name, |bytes| bytes[at] ^= 4, &format!("byte {at}"));
            seen.check(&name, |bytes| bytes.truncate(at), &format!("{at} bytes"));
        }
        assert!(seen.whole >= 30 && seen.rejected + seen.damaged == 0, "{seen:?}");
    }
}

/// Returns the bytes of every file of a store except for the lock, which names who reads it.
fn contents(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut contents = BTreeMap::new();
    for path in entries.filter(|path| !path.ends_with("LOCK")) {
        match path.is_dir() {
            true => contents.extend(self::contents(&path)),
            false => drop(contents.insert(path.clone(), fs::read(&path).unwrap())),
        }
    }
    contents
}

/// Returns the files of a store with the lengths of what is in them.
fn files() -> Vec<(PathBuf, usize)> {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("store");
    old_store::install("whole", &folder);
    let mut files = Vec::new();
    for below in ["", "data"] {
        for entry in fs::read_dir(folder.join(below)).unwrap().map(Result::unwrap) {
            if entry.path().is_file() {
                let bytes = fs::read(entry.path()).unwrap();
                let zeros = bytes.iter().rev().take_while(|byte| **byte == 0).count();
                files.push((Path::new(below).join(entry.file_name()), bytes.len() - zeros));
            }
        }
    }
    files.sort();
    files
}

impl Outcomes {
    fn check(&mut self, name: &Path, change: impl FnOnce(&mut Vec<u8>), what: &str) {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("store");
        old_store::install("whole", &folder);
        let path = folder.join(name);
        let mut bytes = fs::read(&path).unwrap();
        change(&mut bytes);
        fs::write(&path, bytes).unwrap();
        let before = contents(&folder);
        let outcome = read(&folder);
        assert!(contents(&folder) == before, "{name:?}, {what}: the store was changed");
        match outcome {
            Ok(0) => self.whole += 1,
            Ok(_) => self.damaged += 1,
            Err(error) => {
                use ErrorKind::{Damaged, Format, Io, Unavailable};
                let is_typed = matches!(error.kind(), Damaged | Format | Io | Unavailable);
                assert!(is_typed, "{name:?}, {what}: {error}");
                self.rejected += 1;
            }
        }
    }
}

/// Returns the number of damaged places in a store that opens; all else must be what was written.
fn read(folder: &Path) -> Result<usize, Error> {
    let old = SledReader::open(folder)?;
    let mut report = Report::default();
    let (mut events, mut values) = (0, 0);
    let written: HashMap<_, _> = EXPORT.lines().map(|line| (line, ())).collect();
    for conversation in old.conversations(&mut report)? {
        for entry in old.events(&conversation.id)? {
            let Ok(entry) = entry else {
                report.add_event(&conversation.id, 0, "");
                break;
            };
            let (id, event) = (&conversation.id, entry.to_json());
            let line = format!("{{\"conversation\":\"{id}\",\"event\":{event}}}");
            assert!(written.contains_key(&*line), "{line}");
            events += 1;
        }
    }
    for (space, key) in old.keys(&mut report)? {
        match old.value(&space, &key) {
            Ok(Some(kept)) if space == "relic/lengths" => {
                assert_eq!(kept.value, vec![b'v'; key.parse().unwrap()]);
                values += 1;
            }
            Ok(Some(_)) => values += 1,
            Ok(None) => {}
            Err(error) => report.unread("values", error)?,
        }
    }
    let is_all = (events, values) == (118, 9);
    assert!(is_all || !report.damage.is_empty(), "{events} events and {values} values, no damage");
    Ok(report.damage.len())
}

/// The length of a page, in bytes.
const PAGE: usize = 4_096;
