//! One process at a time has an old store open.

use std::io::{BufRead as _, BufReader};

use silcrow_store::ErrorKind;
use silcrow_store_sled::SledReader;

use crate::old_store;
use crate::process::{command, said, say, store};

#[test]
fn this_process_cannot_open_it_twice() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("store");
    old_store::install("whole", &folder);
    let first = SledReader::open(&folder).unwrap();
    let error = SledReader::open(&folder).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Locked);
    assert!(error.is_retryable());
    let process = std::process::id();
    let store = folder.display();
    let wanted = format!("the store {store} is in use by process {process}; wait until it ends");
    assert_eq!(error.to_string(), wanted);
    drop(first);
    SledReader::open(&folder).unwrap();
}

#[test]
fn another_process_has_it_until_it_is_killed() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("store");
    old_store::install("whole", &folder);
    let mut child = command("locked::hold", &folder).spawn().unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let is_held = lines.map_while(Result::ok).any(|line| said(&line) == Some("held"));
    assert!(is_held, "the other process did not open the store");

    let error = SledReader::open(&folder).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Locked);
    let wanted = format!("is in use by process {};", child.id());
    assert!(error.to_string().contains(&wanted), "{error}");

    child.kill().unwrap();
    child.wait().unwrap();
    SledReader::open(&folder).unwrap();
}

/// The other process: has the store open until its input ends.
#[test]
#[ignore = "run by another test, in a process of its own"]
fn hold() {
    let old = SledReader::open(store()).unwrap();
    say("held");
    std::io::stdin().lines().count();
    drop(old);
}
