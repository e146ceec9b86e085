//! A file system that may only be read.

use std::path::Path;
use std::process::{Command, Stdio};

use silcrow_event::Event;
use silcrow_store::{ErrorKind, Store as _};
use silcrow_store_log::{LogStore, Options};

use crate::process::say;

async fn open(dir: &Path) -> LogStore {
    LogStore::open(dir, Options::default()).await.unwrap()
}

#[tokio::test]
async fn read_only_store_is_read() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path()).await;
    store.append("c", 0, vec![Event::user("hello").into()]).await.unwrap();
    let mut shell = Command::new("unshare");
    let mount = "mount --bind \"$0\" \"$0\" && mount -o remount,ro,bind \"$0\" && exec \"$@\"";
    shell.args(["--user", "--map-root-user", "--mount", "sh", "-c", mount]).arg(dir.path());
    shell.arg(std::env::current_exe().unwrap());
    shell.args(["read_only::read", "--exact", "--ignored", "--nocapture", "--test-threads=1"]);
    let output = shell.env(PLACE, dir.path()).stdin(Stdio::null()).output().unwrap();
    let shown = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && shown.contains(DONE), "{shown}{errors}");
}

/// The other process.
#[tokio::test]
#[ignore = "run by another test, in a process of its own"]
async fn read() {
    let dir = std::env::var_os(PLACE).expect("this is run by another test");
    let store = open(Path::new(&dir)).await;
    assert_eq!(store.list(None).await.unwrap()[0].title, "hello");
    assert_eq!(store.read("c", 1..=1).await.unwrap().len(), 1);
    assert_eq!(store.verify().await.unwrap().events, 1);
    let error = store.append("c", 1, vec![Event::user("x").into()]).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Io, "{error}");
    say(DONE);
}

const PLACE: &str = "SILCROW_TEST_PLACE";
const DONE: &str = "all of it was tried";
