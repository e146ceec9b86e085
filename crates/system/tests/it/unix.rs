//! Links, pipes, modes and locks on Unix.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::os::unix::fs::symlink;
use std::process::Command;
use std::sync::mpsc::channel;
use std::thread;

use silcrow_system::{SystemFolder as _, SystemMetadata as _, SystemOpen as _, lock_folder};

#[test]
fn new_files_and_folders_are_the_users_alone() {
    let folder = tempfile::tempdir().unwrap();
    let (file, inner) = (folder.path().join("file"), folder.path().join("inner"));
    OpenOptions::new().write(true).create_new(true).private().open(&file).unwrap();
    DirBuilder::new().private().create(&inner).unwrap();
    for (path, mode) in [(&file, 0o600), (&inner, 0o700)] {
        let found = fs::metadata(path).unwrap();
        assert_eq!(found.mode_bits(), Some(mode));
        assert!(found.is_own() && !found.is_open_to_others() && !found.is_writable_by_others());
    }
    assert!(!fs::metadata(&file).unwrap().is_program());
    // Opening an existing file changes no mode.
    let open = |mode: &str| Command::new("chmod").arg(mode).arg(&file).status().unwrap();
    assert!(open("0757").success());
    OpenOptions::new().write(true).private().open(&file).unwrap();
    let found = fs::metadata(&file).unwrap();
    assert_eq!(found.mode_bits(), Some(0o757));
    assert!(found.is_open_to_others() && found.is_writable_by_others() && found.is_program());
}

#[test]
fn symlinks_and_pipes_are_not_opened() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("file"), "text").unwrap();
    symlink("file", at("link")).unwrap();
    assert!(Command::new("mkfifo").arg(at("pipe")).status().unwrap().success());
    let mut plain = OpenOptions::new();
    plain.read(true).plain();
    assert!(plain.open(at("link")).is_err());
    assert!(OpenOptions::new().read(true).without_links().open(at("link")).is_err());
    assert!(plain.open(at("file")).unwrap().metadata().unwrap().is_file());
    assert!(!plain.open(at("pipe")).unwrap().metadata().unwrap().is_file());
}

#[test]
fn changed_or_replaced_file_has_new_stamp() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    let stamp = || fs::metadata(&path).unwrap().stamp();
    fs::write(&path, "a").unwrap();
    let first = stamp();
    assert_eq!(stamp(), first);
    fs::write(&path, "ab").unwrap();
    let second = stamp();
    assert_ne!(second, first);
    let other = folder.path().join("other");
    fs::write(&other, "ab").unwrap();
    let time = fs::metadata(&path).unwrap().modified().unwrap();
    File::options().write(true).open(&other).unwrap().set_modified(time).unwrap();
    fs::rename(&other, &path).unwrap();
    assert_ne!(stamp(), second);
    let found = fs::metadata(&path).unwrap();
    assert_eq!(found.identity(), Some((stamp()[0], stamp()[1])));
}

#[test]
fn a_folder_has_one_lock_at_a_time() {
    let folder = tempfile::tempdir().unwrap();
    let first = lock_folder(folder.path()).unwrap();
    let (sender, order) = channel();
    let (path, second) = (folder.path().to_owned(), sender.clone());
    let waiting = thread::spawn(move || {
        let _lock = lock_folder(&path).unwrap();
        second.send("second").unwrap();
    });
    sender.send("first").unwrap();
    drop(first);
    waiting.join().unwrap();
    drop(sender);
    assert_eq!(order.iter().collect::<Vec<_>>(), ["first", "second"]);
}
