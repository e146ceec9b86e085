//! An old store is read only if it is its owner's alone and nothing of it is a link.

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown, symlink};
use std::path::{Path, PathBuf};

use silcrow_store::ErrorKind;
use silcrow_store_sled::SledReader;
use tempfile::TempDir;

use crate::old_store;

fn whole() -> (TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("store");
    old_store::install("whole", &folder);
    drop(SledReader::open(&folder).unwrap());
    (dir, folder)
}

#[track_caller]
fn rejected(folder: &Path) -> String {
    let error = SledReader::open(folder).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Untrusted, "{error}");
    error.to_string()
}

/// A user who may write to the folder may have put anything into it.
#[test]
fn a_store_that_others_can_write_to_is_rejected() {
    let (_dir, folder) = whole();
    for mode in [0o770, 0o707, 0o777, 0o1777, 0o702] {
        fs::set_permissions(&folder, Permissions::from_mode(mode)).unwrap();
        let why = rejected(&folder);
        let command = format!("`chmod 700 {}`", folder.display());
        assert!(why.contains(&format!("mode {mode:04o}")) && why.contains(&command), "{why}");
    }
    // Earlier versions left such folders.
    fs::set_permissions(&folder, Permissions::from_mode(0o755)).unwrap();
    SledReader::open(&folder).unwrap();
}

/// Only root can give files away.
#[test]
fn what_belongs_to_another_user_is_rejected() {
    if fs::metadata("/proc/self").unwrap().uid() != 0 {
        return;
    }
    let (_dir, folder) = whole();
    for name in ["", "LOCK", "FORMAT", "MARK", "data", "data/db"] {
        let path = folder.join(name);
        chown(&path, Some(4_321), None).unwrap();
        let lock = fs::read(folder.join("LOCK")).unwrap();
        let why = rejected(&folder);
        assert!(why.contains("it belongs to user 4321 and this is user 0"), "{why}");
        assert!(why.contains("run `chown -R 0 "), "{why}");
        assert_eq!(fs::read(folder.join("LOCK")).unwrap(), lock);
        chown(&path, Some(0), None).unwrap();
        SledReader::open(&folder).unwrap();
    }
}

#[test]
fn no_link_is_followed() {
    for name in ["LOCK", "FORMAT", "MARK", "data", "data.old", "data/db", "data/blobs"] {
        for is_hard in [false, true] {
            let (dir, folder) = whole();
            let (path, victim) = (folder.join(name), dir.path().join("victim"));
            match path.exists() {
                true => fs::rename(&path, &victim).unwrap(),
                false => fs::write(&victim, "precious").unwrap(),
            }
            if is_hard && victim.is_dir() {
                continue;
            }
            match is_hard {
                true => fs::hard_link(&victim, &path).unwrap(),
                false => symlink(&victim, &path).unwrap(),
            }
            let bytes = || victim.is_file().then(|| fs::read(&victim).unwrap());
            let before = bytes();
            let error = SledReader::open(&folder).unwrap_err();
            // A link in the place of FORMAT is not even read.
            assert!(matches!(error.kind(), ErrorKind::Untrusted | ErrorKind::Io), "{error}");
            let path = path.display().to_string();
            assert!(error.to_string().contains(&path), "{error}");
            assert_eq!(bytes(), before, "{name}");
        }
    }
}

/// Opening a pipe that nobody writes to would block.
#[test]
fn what_is_neither_a_file_nor_a_folder_is_rejected() {
    for name in ["LOCK", "MARK", "data", "data/db"] {
        let (dir, folder) = whole();
        let path = folder.join(name);
        fs::rename(&path, dir.path().join("before")).unwrap();
        let made = std::process::Command::new("mkfifo").arg(&path).status().unwrap();
        assert!(made.success());
        let why = rejected(&folder);
        assert!(why.contains("remove it, then try again"), "{why}");
    }
}

/// Where a person puts the store is theirs to choose.
#[test]
fn the_folder_itself_may_be_a_link() {
    let (dir, folder) = whole();
    let link = dir.path().join("link");
    symlink(&folder, &link).unwrap();
    SledReader::open(&link).unwrap();
}
