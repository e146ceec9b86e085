//! A system that refuses what sled needs: threads, a clock after 1970, room on the disk. None of it
//! is damage.

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::MetadataExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, Output};

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use silcrow_store_sled::SledReader;

use crate::old_store;
use crate::process::{command, said, say, store};

/// With any number of threads left there is an answer, and it is not about damage.
#[test]
fn without_threads_it_says_so_and_never_hangs() {
    let is_root = fs::metadata("/proc/self").unwrap().uid() == 0;
    // The kernel counts the threads of a user, so each number is tried as another user. A user who
    // is not root already has more threads than the lowest limit.
    let left: &[u64] = if is_root { &[0, 1, 2, 4, 8, 11, 12, 13, 16, 40] } else { &[0] };
    let mut opened = 0;
    for limit in left {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("store");
        old_store::install("whole", &folder);
        let mut child = limited(&command("system::open_with_few_threads", &folder));
        child.env(LIMIT, limit.to_string());
        if is_root {
            let user = 70_000 + u32::try_from(*limit).unwrap();
            let mut chown = Command::new("chown");
            chown.arg("-R").arg(user.to_string()).arg(dir.path());
            assert!(chown.status().unwrap().success());
            child.uid(user);
        }
        match &*outcome(&child.output().unwrap(), &format!("{limit} threads")) {
            "opened" => opened += 1,
            why => assert!(why.starts_with("Unavailable the system refuses the"), "{why}"),
        }
    }
    assert!(!is_root || opened >= 1, "with many threads left it opens");
}

/// The other process. Its limit is set once it has the threads that it runs on.
#[test]
#[ignore = "run by another test, in a process of its own"]
fn open_with_few_threads() {
    let limit: u64 = std::env::var(LIMIT).unwrap().parse().unwrap();
    let threads = fs::read_dir("/proc/self/task").unwrap().count() as u64;
    let mut now: Rlimit = getrlimit(Resource::Nproc);
    // `timeout` is a process of this user, too.
    now.current = Some(threads + 1 + limit);
    setrlimit(Resource::Nproc, now).unwrap();
    say_opening(&store());
}

/// sled asks for the time although it never uses it, and panics if it is before 1970.
#[test]
fn a_clock_before_1970_is_no_damage() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("store");
    old_store::install("whole", &folder);
    let (source, library) = (dir.path().join("clock.c"), dir.path().join("clock.so"));
    fs::write(&source, CLOCK).unwrap();
    let mut compiler = Command::new("cc");
    compiler.args(["-shared", "-fPIC", "-o"]).args([&library, &source]);
    assert!(compiler.status().expect("Rust programs are linked with cc").success());
    let mut child = limited(&command("system::open", &folder));
    child.env("LD_PRELOAD", &library);
    let said = outcome(&child.output().unwrap(), "the clock");
    assert!(said.starts_with("Unavailable the clock of this machine"), "{said}");
    SledReader::open(&folder).unwrap();
}

/// The other process.
#[test]
#[ignore = "run by another test, in a process of its own"]
fn open() {
    say_opening(&store());
}

/// On a full disk sled takes files for damaged that are not.
#[test]
fn a_full_disk_is_no_damage() {
    if std::env::var_os(WITHOUT).is_some() {
        let said = format!("not tried: {WITHOUT} is set\n");
        std::io::stderr().write_all(said.as_bytes()).unwrap();
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let child = limited(&command("system::open_on_a_full_disk", dir.path()));
    let mut shell = Command::new("unshare");
    let mount = "mount -t tmpfs -o size=8m none \"$0\" && exec \"$@\"";
    shell.args(["--user", "--map-root-user", "--mount", "sh", "-c", mount]).arg(dir.path());
    shell.arg(child.get_program()).args(child.get_args());
    for (name, value) in child.get_envs() {
        shell.env(name, value.unwrap());
    }
    let said = outcome(&shell.output().unwrap(), &format!("a full disk ({WITHOUT}=1 skips it)"));
    assert_eq!(said, "opened");
}

/// The other process.
#[test]
#[ignore = "run by another test, in a process of its own"]
fn open_on_a_full_disk() {
    let folder = store().join("store");
    old_store::install("whole", &folder);
    let ballast = store().join("ballast");
    let mut file = fs::File::create(&ballast).unwrap();
    while file.write_all(&[1; 4096]).is_ok() {}
    for _ in 0..2 {
        let error = SledReader::open(&folder).unwrap_err().to_string();
        assert!(error.contains("is full; make room there, then try again"), "{error}");
    }
    drop(file);
    fs::remove_file(ballast).unwrap();
    say_opening(&folder);
}

/// Opens a store and says the outcome.
fn say_opening(folder: &Path) {
    match SledReader::open(folder) {
        Ok(old) => {
            assert_eq!(old.events("c2").unwrap().filter_map(Result::ok).count(), 100);
            say("opened");
        }
        Err(error) => say(&format!("{:?} {error}", error.kind())),
    }
}

/// Returns the same command, killed if it does not end.
fn limited(command: &Command) -> Command {
    let mut limited = Command::new("timeout");
    limited.args(["-s", "KILL", "120"]).arg(command.get_program()).args(command.get_args());
    for (name, value) in command.get_envs() {
        limited.env(name, value.unwrap());
    }
    limited
}

/// Returns what the process said. It ended well and printed nothing about where this was built.
fn outcome(output: &Output, what: &str) -> String {
    let (out, err) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{what}: {:?}\n{out}\n{err}", output.status);
    for text in [&out, &err] {
        assert!(!text.contains("panicked") && !text.contains("/registry/"), "{what}: {text}");
    }
    out.lines().find_map(said).expect("it said something").to_owned()
}

/// A wall clock that shows 1969.
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

/// Set where no file system can be made, such as in some containers.
const WITHOUT: &str = "SILCROW_WITHOUT_TMPFS";
