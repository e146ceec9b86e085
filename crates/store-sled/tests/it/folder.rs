//! What is a store that can be read, and what an earlier version left half done.

use std::fs;
use std::path::{Path, PathBuf};

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

#[track_caller]
fn is_read(folder: &Path) {
    let old = SledReader::open(folder).unwrap();
    let mut report = Report::default();
    let conversations = old.conversations(&mut report).unwrap();
    assert_eq!((conversations.len(), report.damage), (4, Vec::new()));
    assert_eq!(old.events("c2").unwrap().filter_map(Result::ok).count(), 100);
}

#[track_caller]
fn rejected(folder: &Path, why: &str) {
    let error = SledReader::open(folder).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Format, "{error}");
    let wanted = format!("{} is no store of an earlier version: {why}", folder.display());
    assert_eq!(error.to_string(), wanted);
}

#[test]
fn something_else_is_rejected_and_nothing_is_changed() {
    let dir = tempfile::tempdir().unwrap();
    let nowhere = dir.path().join("nowhere");
    rejected(&nowhere, "it has no file FORMAT");
    assert!(!nowhere.exists());
    rejected(dir.path(), "it has no file FORMAT");
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
    fs::write(&nowhere, "a file").unwrap();
    rejected(&nowhere, "it is no folder");
}

#[test]
fn another_format_is_rejected() {
    let (_dir, folder) = whole();
    for (format, shown) in [
        ("", "\"\""),
        ("silcrow-store-sled 1\n", "\"silcrow-store-sled 1\""),
        ("silcrow-store-log 1 0b9d9b36\n", "\"silcrow-store-log 1 0b9d9b36\""),
        ("\u{1b}[31mred\0", "\"\\u{1b}[31mred\\0\""),
    ] {
        fs::write(folder.join("FORMAT"), format).unwrap();
        let why = format!("its file FORMAT says {shown} instead of \"silcrow-store-sled 2\"");
        rejected(&folder, &why);
        assert!(!folder.join("LOCK").exists());
    }
    fs::write(folder.join("FORMAT"), "silcrow-store-sled 2\n").unwrap();
    is_read(&folder);
}

/// A compaction moved `data` to `data.old` and then put new files in its place.
#[test]
fn an_interrupted_compaction_is_completed() {
    let (_dir, folder) = whole();
    let (data, old, new) = (folder.join("data"), folder.join("data.old"), folder.join("data.new"));
    fs::rename(&data, &old).unwrap();
    fs::create_dir(&new).unwrap();
    fs::write(new.join("conf"), "segment_si").unwrap();
    is_read(&folder);
    assert!(data.exists() && !old.exists());

    fs::create_dir(&old).unwrap();
    fs::write(old.join("db"), "the files from before").unwrap();
    is_read(&folder);
}

/// sled itself opens nothing if it left a snapshot half written.
#[test]
fn a_snapshot_half_written_is_left_out() {
    let (_dir, folder) = whole();
    let planted = folder.join("data/snap.00000000FFFFFFFF.generating");
    fs::write(&planted, "half").unwrap();
    let opened = raw::try_open(&folder);
    assert!(matches!(opened, Err(sled::Error::Corruption { .. })), "sled opens it after all");
    is_read(&folder);
    assert!(planted.exists());
}

/// A process that was killed while it read a store leaves a copy of its files.
#[test]
fn a_copy_that_was_left_is_replaced() {
    let (_dir, folder) = whole();
    let copy = folder.join("reading");
    fs::create_dir_all(copy.join("blobs")).unwrap();
    fs::write(copy.join("db"), "half").unwrap();
    is_read(&folder);
    assert!(!copy.exists());
}

/// Only the lock is added, which names a process.
#[test]
fn reading_leaves_the_other_files_as_they_are() {
    let (_dir, folder) = whole();
    let before = ["FORMAT", "MARK"].map(|name| fs::read(folder.join(name)).unwrap());
    is_read(&folder);
    let after = ["FORMAT", "MARK"].map(|name| fs::read(folder.join(name)).unwrap());
    assert_eq!(before, after);
    let mut names: Vec<_> =
        fs::read_dir(&folder).unwrap().map(|e| e.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["FORMAT", "LOCK", "MARK", "data"]);
}
