//! Changes of a file between the moment it is found and the moment it is written.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use super::*;

/// Finds a file, changes the folder meanwhile, and returns the error of the write.
fn refused(before: &[&str], file: &str, meanwhile: impl FnOnce(&Path)) -> String {
    let folder = tempfile::tempdir().unwrap();
    for name in before {
        fs::create_dir_all(folder.path().join(name)).unwrap();
    }
    let root = Root::open(folder.path()).unwrap();
    let target = WriteTarget::find(&root, file, &ApprovedRisk::Only(None)).unwrap();
    meanwhile(folder.path());
    let why = target
        .write(b"new", &KnownContent::MISSING, None, &CancellationToken::new())
        .unwrap_err()
        .to_string();
    let left = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name());
    let left: Vec<_> = left.collect();
    assert!(!left.iter().any(|name| name.to_string_lossy().ends_with(".tmp")), "{left:?}");
    assert!(!left.contains(&"refs".into()) || !left.contains(&"HEAD".into()), "{left:?}");
    why
}

#[test]
fn swapped_file_is_not_replaced() {
    let why = refused(&[], "a", |folder| symlink("elsewhere", folder.join("a")).unwrap());
    assert!(why.contains("link"), "{why}");
    let why = refused(&[], "a", |folder| fs::create_dir(folder.join("a")).unwrap());
    assert!(why.contains("is a folder"), "{why}");
}

#[test]
fn newly_protected_file_is_not_written() {
    let make = |folder: &Path, name| fs::create_dir(folder.join(name)).unwrap();
    let why = refused(&["objects"], "HEAD", |folder| make(folder, "refs"));
    assert!(why.contains("belongs to git"), "{why}");
    // No folder is created for it either.
    let why = refused(&["objects"], "refs/heads/main", |folder| make(folder, "HEAD"));
    assert!(why.contains("belongs to git"), "{why}");
}
