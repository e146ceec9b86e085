//! The owner and the permissions of a written file.

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown};
use std::path::Path;
use std::process::Command;

use serde_json::json;
use silcrow_tools::Root;

use crate::{Place, apart, call, given, run_ignored, why, writer_that_read};

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().mode() & 0o7777
}

#[tokio::test]
async fn replaced_file_keeps_permissions_without_setuid() {
    let place = Place::new();
    place.put("run.sh", "old");
    let path = place.path().join("run.sh");
    for (before, after) in [(0o751, 0o751), (0o600, 0o600), (0o6755, 0o755), (0o1646, 0o1646)] {
        fs::set_permissions(&path, Permissions::from_mode(before)).unwrap();
        assert_eq!(mode(&path), before);
        place.write("run.sh", "new").await.unwrap();
        assert_eq!(mode(&path), after, "{before:o}");
    }
}

#[tokio::test]
async fn a_read_only_file_is_not_replaced() {
    let place = Place::new();
    place.put("a.txt", "old");
    let path = place.path().join("a.txt");
    for mode in [0o444, 0o400, 0o555, 0] {
        fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
        assert_eq!(
            why(place.write("a.txt", "new").await),
            "`a.txt` is read-only and is not replaced; ask the person to make it writable"
        );
    }
    fs::set_permissions(&path, Permissions::from_mode(0o600)).unwrap();
    assert_eq!(place.get("a.txt"), "old");
}

#[test]
fn new_files_follow_the_umask() {
    for (umask, expected) in [("022", 0o644), ("077", 0o600), ("002", 0o664), ("000", 0o666)] {
        let place = Place::new();
        place.put("old.txt", "x");
        fs::set_permissions(place.path().join("old.txt"), Permissions::from_mode(0o640)).unwrap();
        let prelude = format!("umask {umask};");
        assert!(apart("owner::under_a_umask", &place, &prelude).success());
        assert_eq!(mode(&place.path().join("new/a.txt")), expected, "{umask}");
        assert_eq!(mode(&place.path().join("new")), expected | (expected & 0o444) >> 2, "{umask}");
        assert_eq!(mode(&place.path().join("old.txt")), 0o640, "{umask}");
    }
}

#[tokio::test]
#[ignore = "run by the test above, in a process of its own"]
async fn under_a_umask() {
    let root = Root::open(given()).unwrap();
    for file in ["new/a.txt", "old.txt"] {
        let tool = writer_that_read(&root, file).await;
        let args = json!({"file": file, "content": "text"}).to_string();
        call(&tool, &args).await.unwrap();
    }
}

/// Only the owner can read an incomplete text, whatever the permissions of the file are. The
/// process is killed while it writes, so its temporary file remains.
#[test]
fn temporary_file_is_private() {
    for replaces in [true, false] {
        let place = Place::new();
        if replaces {
            place.put("a.txt", "old");
            let all = Permissions::from_mode(0o666);
            fs::set_permissions(place.path().join("a.txt"), all).unwrap();
        }
        assert!(!apart("write::under_a_limit", &place, "umask 000; ulimit -f 64;").success());
        let names = fs::read_dir(place.path()).unwrap().map(|entry| entry.unwrap().path());
        let left = names.filter(|path| !path.ends_with("a.txt")).collect::<Vec<_>>();
        let [left] = &left[..] else { panic!("{left:?}") };
        assert_eq!(mode(left), 0o600);
        assert!(fs::metadata(left).unwrap().len() > 0);
    }
}

/// Only root can give a file to another user; others have nothing to test here.
#[tokio::test]
async fn foreign_file_keeps_its_owner_or_content() {
    let place = Place::new();
    place.put("a.txt", "old");
    let path = place.path().join("a.txt");
    if fs::metadata(&path).unwrap().uid() != 0 {
        return;
    }
    chown(&path, Some(12_345), Some(23_456)).unwrap();
    fs::set_permissions(&path, Permissions::from_mode(0o666)).unwrap();
    place.write("a.txt", "new").await.unwrap();
    let now = fs::metadata(&path).unwrap();
    assert_eq!((now.uid(), now.gid(), now.mode() & 0o7777), (12_345, 23_456, 0o666));

    // Anybody may write to the file and to its folder, and only root could keep its owner.
    for folder in [place.outer.path(), &place.path()] {
        fs::set_permissions(folder, Permissions::from_mode(0o777)).unwrap();
    }
    // The test's own program may be in a folder that others cannot read.
    let program = place.outer.path().join("test");
    fs::copy(std::env::current_exe().unwrap(), &program).unwrap();
    let mut command = Command::new("setpriv");
    command.args(["--reuid=54321", "--regid=54321", "--clear-groups"]).arg(&program);
    assert!(run_ignored(command, "owner::as_somebody_else", &place).success());
    assert_eq!(place.get("a.txt"), "new");
    assert_eq!(fs::read_dir(place.path()).unwrap().count(), 1, "nothing is left behind");
}

#[tokio::test]
#[ignore = "run by the test above, in a process of its own"]
async fn as_somebody_else() {
    let tool = writer_that_read(&Root::open(given()).unwrap(), "a.txt").await;
    let args = json!({"file": "a.txt", "content": "theirs"}).to_string();
    assert_eq!(
        why(call(&tool, &args).await),
        "`a.txt` belongs to another user or group, which it would lose; it is not replaced"
    );
}
