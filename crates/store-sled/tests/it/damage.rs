//! Damage to records: it is named with its place, and the rest is read.

use std::fs;
use std::path::PathBuf;

use silcrow_event::{Entry, Event};
use silcrow_store::ErrorKind;
use silcrow_store::verify::Report;
use silcrow_store_sled::SledReader;
use tempfile::TempDir;

use crate::{old_store, raw};

fn whole() -> (TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("store");
    old_store::install("whole", &folder);
    (dir, folder)
}

/// Returns the end of the key of an event.
fn place(conversation: &str, position: u64) -> Vec<u8> {
    [conversation.as_bytes(), &position.to_be_bytes()].concat()
}

/// Returns the number of events before the damage, and what is said of it.
#[track_caller]
fn read(old: &SledReader, conversation: &str) -> (u64, String) {
    let mut events = old.events(conversation).unwrap();
    let whole = events.by_ref().map_while(|entry| match entry {
        Ok(entry) => Some((entry.seq, None)),
        Err(error) => {
            assert_eq!(error.kind(), ErrorKind::Damaged, "{error}");
            Some((None, Some(error.to_string())))
        }
    });
    let mut whole: Vec<_> = whole.collect();
    let damage = whole.pop_if(|last| last.1.is_some()).and_then(|(_, damage)| damage);
    assert!(whole.iter().zip(1..).all(|((seq, _), position)| *seq == Some(position)));
    assert!(events.next().is_none(), "nothing comes after damage");
    (whole.len() as u64, damage.unwrap_or_default())
}

/// Every byte of a record is covered: its link, its head, its checksum and its content.
#[test]
fn a_flipped_byte_of_an_event_is_noticed() {
    let (_dir, folder) = whole();
    for at in [0, 15, 16, 17, 18, 21, 22, 25, 26, 60, usize::MAX] {
        let flip = |value: &mut Vec<u8>| {
            let at = at.min(value.len() - 1);
            value[at] ^= 0x40;
        };
        raw::change(&folder, "ev", &place("c2", 50), flip);
        {
            let old = SledReader::open(&folder).unwrap();
            let (events, damage) = read(&old, "c2");
            let wanted = "event 50 of conversation \"c2\" in the store ";
            assert!(events == 49 && damage.starts_with(wanted), "byte {at}: {events} {damage}");
            assert_eq!(read(&old, "c1"), (5, String::new()));
        }
        raw::change(&folder, "ev", &place("c2", 50), flip);
        assert_eq!(read(&SledReader::open(&folder).unwrap(), "c2"), (100, String::new()));
    }
}

#[test]
fn a_flipped_byte_of_a_piece_is_noticed() {
    let (_dir, folder) = whole();
    let piece = [&b"e\x01"[..], &place("c1", 4), &1_u32.to_be_bytes()].concat();
    raw::change(&folder, "part", &piece, |piece| piece[1_000] ^= 1);
    let (events, damage) = read(&SledReader::open(&folder).unwrap(), "c1");
    assert!(events == 3 && damage.contains("event 4 of"), "{damage}");
    assert!(damage.contains("its checksum is wrong"), "{damage}");
}

/// A record that is whole and in the wrong place is as wrong as a broken one.
#[test]
fn an_event_in_the_place_of_another_is_noticed() {
    let (_dir, folder) = whole();
    let mut other = Vec::new();
    raw::change(&folder, "ev", &place("c2", 6), |value| other.clone_from(value));
    raw::change(&folder, "ev", &place("c2", 7), |value| *value = other);
    let (events, damage) = read(&SledReader::open(&folder).unwrap(), "c2");
    assert!(events == 6 && damage.contains("event 7 of"), "{damage}");
}

/// An event that was replaced on purpose has a right checksum; the one after it, or the summary,
/// shows it.
#[test]
fn a_replaced_event_is_noticed() {
    for position in [1, 50, 100] {
        let (_dir, folder) = whole();
        raw::change(&folder, "ev", &place("c2", position), |value| {
            let forged = Entry { seq: Some(position), ..Event::user("forged").into() }.to_json();
            let (link, _) = value.split_at(16);
            let key = [&b"\x01"[..], &place("c2", position), link].concat();
            let head = [&[1, 0][..], &(forged.len() as u32).to_be_bytes()].concat();
            let parts = [&*key, &head, forged.as_bytes()];
            let sum = parts.into_iter().fold(0, crc32c::crc32c_append).to_be_bytes();
            *value = [link, &head, &sum, forged.as_bytes()].concat();
        });
        let (events, damage) = read(&SledReader::open(&folder).unwrap(), "c2");
        assert_eq!(events, position - 1);
        assert!(
            damage.starts_with(&format!("event {position} of conversation \"c2\"")),
            "{damage}"
        );
        assert!(damage.contains("it is not the one that was appended"), "{damage}");
    }
}

#[test]
fn a_missing_event_or_piece_is_noticed() {
    let piece = [&place("c1", 4)[..], &1_u32.to_be_bytes()].concat();
    for (tree, end, conversation, position, why) in [
        ("ev", &*place("c2", 1), "c2", 1, "it is missing"),
        ("ev", &*place("c2", 8), "c2", 8, "it is missing"),
        ("ev", &*place("c2", 100), "c2", 100, "it is missing"),
        ("ev", &*place("c1/1/a", 1), "c1/1/a", 1, "it is missing"),
        ("part", &*piece, "c1", 4, "a piece of it is missing"),
    ] {
        let (_dir, folder) = whole();
        raw::remove(&folder, tree, end);
        let (events, damage) = read(&SledReader::open(&folder).unwrap(), conversation);
        assert_eq!(events, position - 1);
        assert!(damage.contains(&format!("event {position} of")), "{damage}");
        assert!(damage.contains(why), "{damage}");
    }
}

#[test]
fn without_its_summary_a_conversation_is_read() {
    let flip: &dyn Fn(&PathBuf) = &|folder| raw::change(folder, "meta", b"c2", |v| v[12] ^= 1);
    let remove: &dyn Fn(&PathBuf) = &|folder| raw::remove(folder, "meta", b"c2");
    for damage in [flip, remove] {
        let (_dir, folder) = whole();
        damage(&folder);
        let old = SledReader::open(&folder).unwrap();
        let mut report = Report::default();
        let conversations = old.conversations(&mut report).unwrap();
        let counts: Vec<_> = conversations.iter().map(|one| (&*one.id, one.events)).collect();
        assert_eq!(counts, [("c2", 100), ("first", 12), ("c1/1/a", 1), ("c1", 5)]);
        let places: Vec<_> = report.damage.iter().map(|one| one.place.to_string()).collect();
        assert_eq!(places, ["the summary of conversation \"c2\""]);
        assert_eq!(read(&old, "c2"), (100, String::new()));
    }
}

#[test]
fn a_flipped_byte_of_a_value_is_noticed() {
    let (_dir, folder) = whole();
    raw::change(&folder, "value", b"notesk", |value| value[20] ^= 1);
    let old = SledReader::open(&folder).unwrap();
    let error = old.value("relic/notes", "k").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Damaged);
    let wanted = "the value \"k\" in \"relic/notes\" in the store";
    assert!(error.to_string().starts_with(wanted), "{error}");
    assert!(old.value("relic/notes", "raw").unwrap().is_some());
    assert_eq!(old.keys(&mut Report::default()).unwrap().len(), 9);
}

/// If the end of its file is damaged, sled opens what is before it and says nothing.
#[test]
fn missing_changes_at_the_end_are_noticed() {
    let (_dir, folder) = whole();
    let mark = folder.join("MARK");
    let refused = || {
        let error = SledReader::open(&folder).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Damaged);
        assert!(error.to_string().contains(&format!("or remove {}", mark.display())), "{error}");
        error.to_string()
    };
    let marked = fs::read_to_string(&mark).unwrap();
    let digits = format!("{:020}", 21);
    fs::write(&mark, format!("{digits} {:08x}\n", crc32c::crc32c(digits.as_bytes()))).unwrap();
    assert!(refused().contains("20 of at least 21 are there"));
    // A torn mark says nothing.
    fs::write(&mark, &digits).unwrap();
    SledReader::open(&folder).unwrap();

    fs::write(&mark, marked).unwrap();
    SledReader::open(&folder).unwrap();
    {
        let db = raw::open(&folder);
        let clock = [1, 0, 0, 0, 0, 16, 0, 0, 0, 0];
        db.open_tree("meta").unwrap().insert(b"", &[&clock[..], &[0; 16]].concat()[..]).unwrap();
    }
    assert!(refused().contains("their number is damaged, and there were at least 20"));
    fs::remove_file(&mark).unwrap();
    assert_eq!(read(&SledReader::open(&folder).unwrap(), "c2"), (100, String::new()));
}

/// Whatever is in sled's files, opening ends, and with an error that says what to do.
#[test]
fn garbage_in_the_data_file_is_no_panic() {
    let (_dir, folder) = whole();
    let path = folder.join("data/db");
    let mut db = fs::read(&path).unwrap();
    let middle = db.len() / 3;
    for byte in &mut db[..middle] {
        *byte = !*byte;
    }
    fs::write(&path, db).unwrap();
    let error = SledReader::open(&folder).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Damaged);
    assert!(error.to_string().contains("put a copy in their place"), "{error}");
    assert!(std::error::Error::source(&error).is_none(), "sled's words are for programmers");
}
