//! A system that refuses what the database needs: no threads, a clock before 1970, a disk that
//! takes no more while files are written anew. None of it is damage.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, chown};
use std::os::unix::process::CommandExt as _;
use std::process::{Command, Output};

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use silcrow_event::Event;
use silcrow_store::{ErrorKind, Store as _};
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
    let preload = tempfile::tempdir().unwrap();
    let (source, library) = (preload.path().join("clock.c"), preload.path().join("clock.so"));
    fs::write(&source, CLOCK).unwrap();
    let built = Command::new("cc")
        .args(["-shared", "-fPIC", "-o"])
        .args([&library, &source])
        .status()
        .expect("Rust programs are linked with cc");
    assert!(built.success());
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

/// Whichever write fails: the old files stay as they are, and are not called damaged.
#[tokio::test]
async fn a_failed_write_of_a_compaction_is_no_damage() {
    let dir = tempfile::tempdir().unwrap();
    {
        let store = SledStore::open(dir.path(), Options::default()).await.unwrap();
        for conversation in 0..6 {
            let batch = (0..60).map(|n| Event::user("x".repeat(n * 40)).into()).collect();
            store.append(&format!("c{conversation}"), 0, batch).await.unwrap();
        }
    }
    let mut failed = 0;
    // In blocks of 512 bytes; the store has about 1,500 of them.
    for blocks in [1, 8, 64, 256, 512, 1_024, 1_100, 1_200, 1_400, 100_000] {
        let child = command("system::compact", dir.path());
        let mut shell = Command::new("sh");
        let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\"");
        let limited = limited(&child);
        shell.args(["-c", &script]).arg(limited.get_program()).args(limited.get_args());
        for (name, value) in child.get_envs() {
            shell.env(name, value.unwrap());
        }
        let told = told(shell.output().unwrap(), &format!("{blocks} blocks"));
        if told != "compacted" {
            failed += 1;
            let kind = told.split_once(' ').unwrap().0;
            assert!(matches!(kind, "Io" | "Unavailable"), "{blocks} blocks: {told}");
            assert!(!told.contains("move the folder away"), "{blocks} blocks: {told}");
        }
        assert!(!dir.path().join("data.new").exists(), "{blocks} blocks");
    }
    assert!((3..10).contains(&failed), "{failed} of 10 failed");
    let store = SledStore::open(dir.path(), Options::default()).await.unwrap();
    assert_eq!(store.verify().await.unwrap().events, 360);
}

/// The other process.
#[tokio::test]
#[ignore = "run by another test, in a process of its own"]
async fn compact() {
    match SledStore::compact(store()).await {
        Ok(_) => say("compacted"),
        Err(error) => {
            assert_ne!(error.kind(), ErrorKind::Damaged, "{error}");
            say(&format!("{:?} {error}", error.kind()));
        }
    }
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

const LIMIT: &str = "SILCROW_TEST_THREADS";
