//! Everything that an earlier version wrote is read.

use std::fs;

use silcrow_store::verify::Report;
use silcrow_store_sled::SledReader;

use crate::old_store::{self, EXPORT};

#[test]
fn conversations_come_in_order_with_all_their_events() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("store");
    old_store::install("whole", &folder);
    // A process may open an old store as often as it likes.
    for _ in 0..2 {
        let old = SledReader::open(&folder).unwrap();
        let mut report = Report::default();
        let conversations = old.conversations(&mut report).unwrap();
        assert_eq!(report.damage, []);
        let counts: Vec<_> = conversations.iter().map(|one| (&*one.id, one.events)).collect();
        assert_eq!(counts, [("first", 12), ("c2", 100), ("c1/1/a", 1), ("c1", 5)]);
        let mut wanted = EXPORT.lines().skip(1);
        for conversation in &conversations {
            for entry in old.events(&conversation.id).unwrap() {
                let event = entry.unwrap().to_json();
                let line =
                    format!("{{\"conversation\":\"{}\",\"event\":{event}}}", conversation.id);
                assert_eq!(Some(&*line), wanted.next());
            }
        }
        assert!(wanted.all(|line| line.starts_with("{\"space\":")));
        assert_eq!(old.events("gone").unwrap().count(), 0);
    }
}

#[test]
fn values_come_with_their_versions() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("store");
    old_store::install("whole", &folder);
    let old = SledReader::open(&folder).unwrap();
    let mut report = Report::default();
    let keys = old.keys(&mut report).unwrap();
    assert_eq!(report.damage, []);
    let names: Vec<_> = keys.iter().map(|(space, key)| (&**space, &**key)).collect();
    let wanted = [
        ("granted/c1", "g"),
        ("relic/lengths", "0"),
        ("relic/lengths", "4086"),
        ("relic/lengths", "4087"),
        ("relic/lengths", "8192"),
        ("relic/lengths", "8193"),
        ("relic/notes", "k"),
        ("relic/notes", "raw"),
        ("started/first", "3/a1"),
    ];
    assert_eq!(names, wanted);
    let value = |space, key| {
        let kept = old.value(space, key).unwrap().unwrap();
        (kept.version, kept.value)
    };
    for (space, key) in &wanted[1..6] {
        assert_eq!(value(space, key), (1, vec![b'v'; key.parse().unwrap()]));
    }
    assert_eq!(value("relic/notes", "k"), (3, b"value 2".to_vec()));
    assert_eq!(value("relic/notes", "raw"), (1, vec![0, 255]));
    assert_eq!(value("granted/c1", "g"), (1, b"value 0".to_vec()));
    assert_eq!(old.value("relic/notes", "none").unwrap(), None);
    assert_eq!(old.value("granted/gone", "g").unwrap(), None);
}

#[test]
fn a_store_that_was_never_written_to_is_empty() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("store");
    old_store::install("empty", &folder);
    let is_empty = || {
        let old = SledReader::open(&folder).unwrap();
        let mut report = Report::default();
        let found = (old.conversations(&mut report).unwrap(), old.keys(&mut report).unwrap());
        assert_eq!((found, report), (Default::default(), Report::default()));
    };
    is_empty();
    // A process that was killed while it made the store left no more than this.
    for name in ["MARK", "LOCK"] {
        fs::remove_file(folder.join(name)).unwrap();
    }
    fs::remove_dir_all(folder.join("data")).unwrap();
    is_empty();
}
