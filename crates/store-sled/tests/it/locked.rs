use std::io::{BufRead as _, BufReader};

use silcrow_store::ErrorKind;
use silcrow_store_sled::{Options, SledStore};

use crate::process::{command, said, say, store};

#[tokio::test]
async fn this_process_cannot_open_it_twice() {
    let dir = tempfile::tempdir().unwrap();
    let first = SledStore::open(dir.path(), Options::default()).await.unwrap();
    let error = SledStore::open(dir.path(), Options::default()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Locked);
    assert!(error.is_retryable());
    let wanted = format!(
        "the store {} is in use by process {}; wait for it, or choose another with --store",
        dir.path().display(),
        std::process::id()
    );
    assert_eq!(error.to_string(), wanted);
    drop(first);
    SledStore::open(dir.path(), Options::default()).await.unwrap();
}

#[tokio::test]
async fn another_process_holds_it_until_it_is_killed() {
    let dir = tempfile::tempdir().unwrap();
    let mut child = command("locked::hold", dir.path()).spawn().unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let held = lines.map_while(Result::ok).any(|line| said(&line) == Some("held"));
    assert!(held, "the other process did not open the store");

    let error = SledStore::open(dir.path(), Options::default()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Locked);
    let wanted = format!("is in use by process {};", child.id());
    assert!(error.to_string().contains(&wanted), "{error}");

    child.kill().unwrap();
    child.wait().unwrap();
    SledStore::open(dir.path(), Options::default()).await.unwrap();
}

/// The other process: holds the store until its input ends.
#[tokio::test]
#[ignore = "run by another test, in a process of its own"]
async fn hold() {
    let store = SledStore::open(store(), Options::default()).await.unwrap();
    say("held");
    std::io::stdin().lines().count();
    drop(store);
}
