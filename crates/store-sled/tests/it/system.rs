//! A system that refuses what the database needs: no threads, a clock before 1970, a disk that
//! takes no more while files are written anew. None of it is damage.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, chown};
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{Command, Output};

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use silcrow_event::Event;
use silcrow_store::Store as _;
use silcrow_store_sled::{Options, SledStore};

use crate::process::{command, said, say, store};

/// With any number of threads left there is an answer, and it is not about damage.
#[test]
fn without_threads_it_says_so_and_never_hangs() {
    let is_root = fs::metadata("/proc/self").unwrap().uid() == 0;
    // The kernel counts the threads of a user, so each number is tried as a user of its own. Who is
    // not root has more threads already than the lowest limit.
    let left: &[u64] = if is_root { &[0, 1, 2, 3, 4, 5, 8, 12, 13, 16, 40] } else { &[0] };
    let mut opened = 0;
    for limit in left {
        let dir = tempfile::tempdir().unwrap();
        let mut child = command("system::open_with_few_threads", dir.path());
        child.env(LIMIT, limit.to_string());
        let mut child = limited(&child);
        if is_root {
            let user = 70_000 + u32::try_from(*limit).unwrap();
            chown(dir.path(), Some(user), None).unwrap();
            child.uid(user);
        }
        let told = told(child.output().unwrap(), &format!("{limit} threads"));
        match &*told {
            "opened" => opened += 1,
            refused => {
                assert!(refused.starts_with("Unavailable the system refuses the"), "{refused}");
            }
        }
    }
    assert!(!is_root || opened >= 1, "with many threads left it opens");
}

/// The other process. Its limit is set once it has the threads that it runs on.
#[test]
#[ignore = "run by another test, in a process of its own"]
fn open_with_few_threads() {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let limit: u64 = std::env::var(LIMIT).unwrap().parse().unwrap();
    let threads = fs::read_dir("/proc/self/task").unwrap().count() as u64;
    let mut now: Rlimit = getrlimit(Resource::Nproc);
    // `timeout` is a process of this user, too.
    now.current = Some(threads + 1 + limit);
    setrlimit(Resource::Nproc, now).unwrap();
    runtime.block_on(tell_opening());
}

/// sled asks for the time where it never uses it, and panics if it is before 1970.
#[test]
fn a_clock_before_1970_is_no_damage() {
    let (_dir, library) = preloaded(CLOCK);
    let dir = tempfile::tempdir().unwrap();
    let mut child = command("system::open_somehow", dir.path());
    child.env("LD_PRELOAD", &library);
    let told = told(limited(&child).output().unwrap(), "the clock");
    assert!(told.starts_with("Unavailable the clock of this machine"), "{told}");
    // Nothing was made that a right clock does not like.
    let again = limited(&command("system::open_somehow", dir.path())).output().unwrap();
    assert_eq!(self::told(again, "the clock is right"), "opened");
}

/// The other process.
#[tokio::test]
#[ignore = "run by another test, in a process of its own"]
async fn open_somehow() {
    tell_opening().await;
}

async fn tell_opening() {
    match SledStore::open(store(), Options::default()).await {
        Ok(store) => {
            store.append("c", 0, vec![Event::user("x").into()]).await.unwrap();
            say("opened");
        }
        Err(error) => say(&format!("{:?} {error}", error.kind())),
    }
}

/// Whichever write fails, from then on: the old files stay as they are, and are not called damaged.
#[tokio::test]
async fn a_failed_write_of_a_compaction_is_no_damage() {
    let (_dir, library) = preloaded(WRITES);
    let dir = tempfile::tempdir().unwrap();
    {
        let store = SledStore::open(dir.path(), Options::default()).await.unwrap();
        for conversation in 0..6 {
            let batch = (0..60).map(|n| Event::user("x".repeat(n * 120)).into()).collect();
            store.append(&format!("c{conversation}"), 0, batch).await.unwrap();
        }
    }
    let (mut failed, mut compacted) = (0, 0);
    for write in (1..=24).chain([1_000_000]) {
        let mut child = command("system::compact", dir.path());
        child.env("LD_PRELOAD", &library).env("SILCROW_TEST_WRITES", write.to_string());
        let told = told(limited(&child).output().unwrap(), &format!("write {write}"));
        if told == "compacted" {
            compacted += 1;
        } else {
            failed += 1;
            let kind = told.split_once(' ').unwrap().0;
            assert_eq!(kind, "Io", "write {write}: {told}");
            assert!(
                told.contains("Input/output error (os error 5)") || told.contains("anew failed;"),
                "write {write}: {told}"
            );
            assert!(!told.contains("move the folder away"), "write {write}: {told}");
        }
        assert!(!dir.path().join("data.new").exists(), "write {write}");
    }
    assert!(failed >= 5 && compacted >= 1, "{failed} failed, {compacted} did not");
    let store = SledStore::open(dir.path(), Options::default()).await.unwrap();
    assert_eq!(store.verify().await.unwrap().events, 360);
}

/// The other process.
#[tokio::test]
#[ignore = "run by another test, in a process of its own"]
async fn compact() {
    match SledStore::compact(store()).await {
        Ok(_) => say("compacted"),
        Err(error) => say(&format!("{:?} {error}", error.kind())),
    }
}

/// A library that is loaded before the C library, and the folder that it is in.
fn preloaded(code: &str) -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let (source, library) = (dir.path().join("code.c"), dir.path().join("code.so"));
    fs::write(&source, code).unwrap();
    let built = Command::new("cc")
        .args(["-shared", "-fPIC", "-o"])
        .args([&library, &source])
        .status()
        .expect("Rust programs are linked with cc");
    assert!(built.success());
    (dir, library)
}

/// The same command, killed where it never ends.
fn limited(command: &Command) -> Command {
    let mut limited = Command::new("timeout");
    limited.args(["-s", "KILL", "120"]).arg(command.get_program()).args(command.get_args());
    for (name, value) in command.get_envs() {
        limited.env(name, value.unwrap());
    }
    limited
}

/// What the process said; it ended well and printed nothing of where this was built.
fn told(output: Output, what: &str) -> String {
    let (out, err) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{what}: {:?}\n{out}\n{err}", output.status);
    for text in [&out, &err] {
        assert!(!text.contains("panicked") && !text.contains("/registry/"), "{what}: {text}");
    }
    out.lines().find_map(said).expect("it said something").to_owned()
}

/// A wall clock that stands in 1969.
const CLOCK: &str = r#"
#include <time.h>
#include <unistd.h>
#include <sys/syscall.h>
int clock_gettime(clockid_t id, struct timespec *to) {
    int done = syscall(SYS_clock_gettime, id, to);
    if (id == CLOCK_REALTIME) to->tv_sec = -1000;
    return done;
}
"#;

/// A disk that fails from a write or sync of that number on.
const WRITES: &str = r#"
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>
#include <sys/syscall.h>
static int calls;
static int fails(void) {
    const char *limit = getenv("SILCROW_TEST_WRITES");
    errno = EIO;
    return limit && __atomic_add_fetch(&calls, 1, __ATOMIC_SEQ_CST) >= atoi(limit);
}
ssize_t pwrite64(int file, const void *from, size_t length, off_t at) {
    return fails() ? -1 : syscall(SYS_pwrite64, file, from, length, at);
}
int fsync(int file) { return fails() ? -1 : syscall(SYS_fsync, file); }
int fdatasync(int file) { return fails() ? -1 : syscall(SYS_fdatasync, file); }
int sync_file_range(int file, off_t at, off_t length, unsigned flags) {
    return fails() ? -1 : syscall(SYS_sync_file_range, file, at, length, flags);
}
"#;

const LIMIT: &str = "SILCROW_TEST_THREADS";
