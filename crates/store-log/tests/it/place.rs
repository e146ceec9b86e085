//! A store whose folder was replaced, or whose lock is never released.

use std::fs;
use std::path::Path;
use std::process::Stdio;

use rustix::process::{Pid, Signal, WaitOptions, kill_process, waitpid};
use silcrow_event::Event;
use silcrow_store::{Error, ErrorKind, Store as _};
use silcrow_store_log::{LogStore, Options};

use crate::files::{copy, snapshot};
use crate::process::{command, store};
use crate::recorder::Recorder;

async fn open(dir: &Path) -> Result<LogStore, Error> {
    LogStore::open(dir, Options::default()).await
}

fn batch() -> Vec<silcrow_event::Entry> {
    vec![Event::user("x").into()]
}

/// By the first append after it, whether the store had written before or not.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn removed_or_replaced_folder_is_noticed() {
    for has_written in [false, true] {
        for is_replaced in [false, true] {
            let above = tempfile::tempdir().unwrap();
            let dir = above.path().join("store");
            open(&dir).await.unwrap().append("c", 0, batch()).await.unwrap();
            let one = open(&dir).await.unwrap();
            let mut head = one.head("c").await.unwrap();
            if has_written {
                head = one.append("c", head, batch()).await.unwrap();
            }
            fs::rename(&dir, above.path().join("away")).unwrap();
            if is_replaced {
                open(&dir).await.unwrap().append("other", 0, batch()).await.unwrap();
            }
            let before = is_replaced.then(|| snapshot(&dir));
            let error = one.append("c", head, batch()).await.unwrap_err();
            // A store that has not written yet sees the new folder, where the conversation does not
            // exist.
            let kind =
                if is_replaced && !has_written { ErrorKind::Conflict } else { ErrorKind::Io };
            assert_eq!(error.kind(), kind, "{error}");
            if kind == ErrorKind::Io {
                assert!(error.to_string().contains("was removed or replaced"), "{error}");
            }
            assert_eq!(is_replaced.then(|| snapshot(&dir)), before);
            assert_eq!(dir.exists(), is_replaced, "nothing is made in its place");
        }
    }
}

/// No process waits forever for a stopped one, and the message names it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stopped_process_is_named() {
    let recorder = Recorder::new();
    let dir = tempfile::tempdir().unwrap();
    open(dir.path()).await.unwrap().append("c", 0, batch()).await.unwrap();
    for call in 5.. {
        let mut child = command("place::append", dir.path());
        recorder.watch(&mut child, dir.path());
        recorder.at_call(&mut child, call, "stop");
        let mut child = child.stderr(Stdio::piped()).spawn().unwrap();
        let pid = Pid::from_child(&child);
        let (_, status) = waitpid(Some(pid), WaitOptions::UNTRACED).unwrap().unwrap();
        assert!(status.stopped(), "it ended before it had the lock");
        let lock = fs::File::open(dir.path().join("LOCK")).unwrap();
        let is_held = lock.try_lock().is_err();
        drop(lock);
        if is_held {
            let waiting = open(dir.path()).await.unwrap();
            // Readers do not wait. It may be stopped before or after it acknowledges its event.
            assert!((1..=2).contains(&waiting.head("c").await.unwrap()));
            let error = waiting.append("d", 0, batch()).await.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Locked, "{error}");
            let named = format!("process {}, which is stopped", child.id());
            assert!(error.to_string().contains(&named), "{error}");
            kill_process(pid, Signal::CONT).unwrap();
            let output = child.wait_with_output().unwrap();
            let errors = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "call {call}: {}: {errors}", output.status);
            waiting.append("d", 0, batch()).await.unwrap();
            assert_eq!(waiting.head("c").await.unwrap(), 2);
            return;
        }
        child.kill().unwrap();
        child.wait().unwrap();
    }
}

/// The other process.
#[tokio::test]
#[ignore = "run by another test, in a process of its own"]
async fn append() {
    open(&store()).await.unwrap().append("c", 1, batch()).await.unwrap();
}

/// With a wall clock before 1970 and little memory, nothing is refused.
#[tokio::test]
async fn neither_the_clock_nor_little_memory_matters() {
    let recorder = Recorder::new();
    let model = tempfile::tempdir().unwrap();
    open(model.path()).await.unwrap().append("c", 0, batch()).await.unwrap();
    for limit in ["unlimited", "300000"] {
        let folder = copy(model.path());
        let mut child = command("place::append", folder.path());
        recorder.boot(&mut child, 1);
        child.env("SILCROW_DISK_CLOCK", "1");
        let mut shell = std::process::Command::new("sh");
        shell.args(["-c", "ulimit -v $0; exec \"$@\"", limit]);
        shell.arg(child.get_program()).args(child.get_args());
        for (name, value) in child.get_envs() {
            shell.env(name, value.unwrap());
        }
        let output = shell.stdin(Stdio::null()).output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{limit}: {errors}");
        assert_eq!(open(folder.path()).await.unwrap().head("c").await.unwrap(), 2);
    }
}

/// The store that was built on sled, before any release.
#[tokio::test]
async fn unreleased_format_is_named_in_error() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("data")).unwrap();
    fs::write(dir.path().join("FORMAT"), "silcrow-store-sled 2\n").unwrap();
    let before = snapshot(dir.path());
    let error = open(dir.path()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Format);
    let told = "has the format \"silcrow-store-sled 2\", which no released version has written and \
                this one cannot read; choose another store with --store";
    assert!(error.to_string().contains(told), "{error}");
    assert_eq!(snapshot(dir.path()), before);
}

/// An unknown version, and a folder of another user.
#[tokio::test]
async fn a_newer_format_says_so() {
    let dir = tempfile::tempdir().unwrap();
    open(dir.path()).await.unwrap().append("c", 0, batch()).await.unwrap();
    // With its checksum.
    let newer = "silcrow-store-log 9";
    let sum = format!("{newer} {:08x}\n", crc32c::crc32c(newer.as_bytes()));
    fs::write(dir.path().join("FORMAT"), sum).unwrap();
    let before = snapshot(dir.path());
    let error = open(dir.path()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Format);
    let ours = env!("CARGO_PKG_VERSION");
    let told = format!("was made by a newer version of silcrow and has the format \"{newer}\"");
    assert!(error.to_string().contains(&told), "{error}");
    assert!(error.to_string().contains(&format!("this is silcrow {ours}")), "{error}");
    assert_eq!(snapshot(dir.path()), before);

    // A version that made a store says which one it is.
    let made = format!("{:032x} 77.8.9", 5);
    let sum = format!("{made} {:08x}\n", crc32c::crc32c(made.as_bytes()));
    fs::write(dir.path().join("IDENTITY"), sum).unwrap();
    let error = open(dir.path()).await.unwrap_err();
    assert!(error.to_string().contains("was made by silcrow 77.8.9 and"), "{error}");
    assert!(error.to_string().contains("install silcrow 77.8.9 or a later one"), "{error}");

    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("letter.txt"), "dear").unwrap();
    let error = open(dir.path()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Format);
    assert!(error.to_string().contains("\"letter.txt\" and no file FORMAT"), "{error}");
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
}
