//! A system that has no more threads for this process.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, chown};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, Stdio};

use rustix::process::{Resource, getrlimit, setrlimit};
use silcrow_event::{Event, error_chain};
use silcrow_store::Store as _;
use silcrow_store_log::{LogStore, Options};

use crate::process::{command, rounds, said, say, store};

/// With any number of threads left there is an answer, and it is not about damage.
#[test]
fn without_threads_it_says_so() {
    // The kernel counts the threads of a user, so each number is tried with a separate user. A user
    // who is not root has more threads already than the lowest limit.
    let is_root = fs::metadata("/proc/self").unwrap().uid() == 0;
    let left: &[u64] = if is_root { &[0, 1, 2, 3, 10, 12, 13, 40] } else { &[0] };
    let mut opened = 0;
    for limit in left {
        let dir = tempfile::tempdir().unwrap();
        let mut child = command("limits::append", dir.path());
        child.env(THREADS, limit.to_string());
        if is_root {
            let user = 71_000 + u32::try_from(*limit).unwrap();
            chown(dir.path(), Some(user), None).unwrap();
            child.uid(user);
        }
        let told = told(&mut child, &format!("{limit} threads"));
        opened += usize::from(told == "appended");
        let wanted = "Unavailable the system has no thread for the store";
        assert!(told == "appended" || told.starts_with(wanted), "{limit} threads: {told}");
    }
    assert!(!is_root || opened >= 5, "with three threads left it opens");
}

/// The output of the process. It ended well.
fn told(child: &mut Command, what: &str) -> String {
    let output = child.stderr(Stdio::piped()).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && !errors.contains("panicked"), "{what}: {errors}");
    let out = String::from_utf8_lossy(&output.stdout);
    let told = out.lines().find_map(said).expect("it said something").to_owned();
    assert!(!told.contains("Os {"), "{told}");
    told
}

/// The other process. Its limit is set once it has the threads that it runs on.
#[test]
#[ignore = "run by another test, in a process of its own"]
fn append() {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let threads = fs::read_dir("/proc/self/task").unwrap().count() as u64;
    let mut now = getrlimit(Resource::Nproc);
    now.current = Some(threads + rounds(THREADS, 0));
    setrlimit(Resource::Nproc, now).unwrap();
    match runtime.block_on(try_append(&store())) {
        Ok(()) => say("appended"),
        Err(error) => say(&format!("{:?} {}", error.kind(), error_chain(&error))),
    }
}

async fn try_append(dir: &Path) -> Result<(), silcrow_store::Error> {
    let store = LogStore::open(dir, Options::default()).await?;
    store.append("c", 0, vec![Event::user("x").into()]).await?;
    assert_eq!(store.read("c", 1..=1).await?.len(), 1);
    Ok(())
}

const THREADS: &str = "SILCROW_TEST_THREADS";
