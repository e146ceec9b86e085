//! The search index of a large store, and systems that do not allow one: a search finds the same.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Arc, Mutex};

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use silcrow_event::Event;
use silcrow_store::Store as _;
use silcrow_store::search::{self, Query};
use silcrow_store_log::{Durability, LogStore, Options};

use crate::process::say;

async fn open(dir: &Path) -> LogStore {
    LogStore::open(dir, Options { durability: Durability::Process }).await.unwrap()
}

/// Appends `count` events of 4 KiB with words that few others have.
async fn append(store: &LogStore, conversation: &str, count: u64) {
    let said =
        |n: u64| format!("number{n} of{} {conversation} {}", n % 10, "and so on ".repeat(400));
    let head = store.head(conversation).await.unwrap();
    let batch = (head..head + count).map(|n| Event::user(said(n)).into()).collect();
    store.append(conversation, head, batch).await.unwrap();
}

/// A log that is long enough for an index.
async fn fill(dir: &Path) {
    let store = open(dir).await;
    for conversation in ["a", "b", "c"] {
        append(&store, conversation, 250).await;
    }
}

/// Searches, and compares with a search that reads all. Returns the notices.
async fn compare(dir: &Path) -> Vec<String> {
    compare_words(dir, &["number17", "BER12 of3", "a on", "nothing-like-it"]).await
}

async fn compare_words(dir: &Path, all: &[&str]) -> Vec<String> {
    let notices = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&notices);
    let notify = move |text: &str| kept.lock().unwrap().push(text.to_owned());
    let store = open(dir).await.on_notice(notify);
    for words in all {
        let query = Query { words: (*words).to_owned(), limit: 20, ..Query::default() };
        let wanted = search::read_all(&store, &query).await.unwrap();
        assert_eq!(store.search(&query).await.unwrap(), wanted, "{words}");
    }
    let notices = notices.lock().unwrap();
    notices.clone()
}

#[tokio::test]
async fn only_large_stores_have_an_index() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path()).await;
    append(&store, "a", 20).await;
    assert!(compare(dir.path()).await.is_empty());
    assert!(!dir.path().join("index").exists());
    fill(dir.path()).await;
    drop(open(dir.path()).await.list(None).await.unwrap());
    assert!(!dir.path().join("index").exists(), "only a search makes it");
    let made = format!("building the search index of {}", dir.path().display());
    assert_eq!(compare(dir.path()).await, [made]);
    assert_eq!(fs::metadata(dir.path().join("index")).unwrap().mode() & 0o777, 0o700);
    append(&store, "b", 40).await;
    assert!(compare(dir.path()).await.is_empty(), "it is brought up to date");
}

#[tokio::test]
async fn index_in_use_elsewhere_is_skipped() {
    let dir = tempfile::tempdir().unwrap();
    fill(dir.path()).await;
    compare(dir.path()).await;
    let mut child = other("index::hold", dir.path()).spawn().unwrap();
    wait_for(&mut child, "held");
    fs::remove_file(dir.path().join("index/SEAL")).unwrap();
    let notices = compare_words(dir.path(), &["BER12 of3"]).await;
    assert!(notices.is_empty(), "it is not built again either");
    drop(child.stdin.take());
    child.wait().unwrap();
    assert_eq!(compare(dir.path()).await.len(), 1);
}

/// The other process.
#[test]
#[ignore = "run by another test, in a process of its own"]
fn hold() {
    let lock = fs::File::options().write(true).open(place().join("index/LOCK")).unwrap();
    lock.lock().unwrap();
    say("held");
    std::io::stdin().lines().count();
}

#[tokio::test]
async fn processes_search_while_others_write() {
    let dir = tempfile::tempdir().unwrap();
    fill(dir.path()).await;
    let start = |_| other("index::search_often", dir.path()).spawn().unwrap();
    let children: Vec<_> = (0..3).map(start).collect();
    let store = open(dir.path()).await;
    for _ in 0..20 {
        append(&store, "late", 3).await;
    }
    for child in children {
        let output = child.wait_with_output().unwrap();
        shown(&output, "a search");
    }
    compare(dir.path()).await;
}

/// The other process.
#[tokio::test]
#[ignore = "run by another test, in a process of its own"]
async fn search_often() {
    let store = open(&place()).await;
    for round in 0..12 {
        let query = Query { words: format!("number{round} of{}", round % 10), ..Query::default() };
        let hits = store.search(&query).await.unwrap();
        // Conversations that are written meanwhile only add hits.
        assert!(hits.iter().filter(|hit| hit.matched_words == 2).count() >= 3, "{round}");
    }
    say("found");
}

/// With any number of threads left, a store that opens finds everything.
#[tokio::test]
async fn search_needs_no_extra_threads() {
    let is_root = fs::metadata("/proc/self").unwrap().uid() == 0;
    // The kernel counts the threads of a user, so each number is tried with a separate user. A user
    // who is not root has more threads already than the lowest limit.
    let left: &[u64] = if is_root { &[0, 1, 2, 3, 5, 8, 12, 60] } else { &[0] };
    let mut answers = Vec::new();
    for limit in left {
        let dir = tempfile::tempdir().unwrap();
        fill(dir.path()).await;
        let mut child = other("index::search_with_few_threads", dir.path());
        child.env(LIMIT, limit.to_string());
        if is_root {
            be_another_user(&mut child, dir.path(), u32::try_from(*limit).unwrap());
        }
        let output = child.output().unwrap();
        answers.push(shown(&output, &format!("{limit} threads")));
    }
    if is_root {
        assert_eq!(answers[0], "refused");
        assert!(answers.contains(&"found without".to_owned()), "{answers:?}");
        assert_eq!(answers.last().unwrap(), "found with an index");
    }
}

/// The other process. Its limit is set once it has the threads that it runs on.
#[test]
#[ignore = "run by another test, in a process of its own"]
fn search_with_few_threads() {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let limit: u64 = std::env::var(LIMIT).unwrap().parse().unwrap();
    let threads = fs::read_dir("/proc/self/task").unwrap().count() as u64;
    let mut now: Rlimit = getrlimit(Resource::Nproc);
    // `timeout` is a process of this user, too.
    now.current = Some(threads + 1 + limit);
    setrlimit(Resource::Nproc, now).unwrap();
    let opened = runtime.block_on(LogStore::open(place(), Options::default()));
    match opened {
        Ok(store) => {
            drop(store);
            runtime.block_on(compare_words(&place(), &["number17"]));
            let is_made = place().join("index/SEAL").exists();
            say(if is_made { "found with an index" } else { "found without" });
        }
        Err(_) => say("refused"),
    }
}

/// With little address space, too, the search finds everything, with an index or without one.
#[tokio::test]
async fn a_search_needs_little_memory() {
    for (kilobytes, has_room) in [("200000", false), ("1000000", true)] {
        let dir = tempfile::tempdir().unwrap();
        fill(dir.path()).await;
        let child = other("index::search_once", dir.path());
        let mut shell = Command::new("sh");
        shell.args(["-c", "ulimit -v $0; exec \"$@\"", kilobytes]);
        shell.arg(child.get_program()).args(child.get_args()).env(PLACE, dir.path());
        let output = shell.stdin(Stdio::null()).output().unwrap();
        assert!(shown(&output, kilobytes).starts_with("found, "));
        assert!(!has_room || dir.path().join("index/SEAL").exists(), "{kilobytes}");
    }
}

#[tokio::test]
async fn read_only_folder_is_searched() {
    let dir = tempfile::tempdir().unwrap();
    fill(dir.path()).await;
    if fs::metadata("/proc/self").unwrap().uid() == 0 {
        let mut child = other("index::search_once", dir.path());
        be_another_user(&mut child, dir.path(), 63);
        fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o500)).unwrap();
        assert_eq!(shown(&child.output().unwrap(), "read-only"), "found, 0 notices");
    } else {
        fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o500)).unwrap();
        assert!(compare(dir.path()).await.is_empty());
    }
    fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o700)).unwrap();
    assert!(!dir.path().join("index").exists());
}

/// The other process.
#[tokio::test]
#[ignore = "run by another test, in a process of its own"]
async fn search_once() {
    let notices = compare(&place()).await;
    say(&format!("found, {} notices", notices.len()));
}

#[test]
fn full_disk_gets_its_index_later() {
    if std::env::var_os(WITHOUT).is_some() {
        return say(&format!("not tried: {WITHOUT} is set"));
    }
    let dir = tempfile::tempdir().unwrap();
    let child = other("index::search_on_a_full_disk", dir.path());
    let mut shell = Command::new("unshare");
    let mount = "mount -t tmpfs -o size=16m none \"$0\" && exec \"$@\"";
    shell.args(["--user", "--map-root-user", "--mount", "sh", "-c", mount]).arg(dir.path());
    shell.arg(child.get_program()).args(child.get_args()).env(PLACE, dir.path());
    let output = shell.stdin(Stdio::null()).output().unwrap();
    assert_eq!(shown(&output, "a full disk"), "found", "{WITHOUT}=1 leaves this out");
}

/// The other process.
#[tokio::test]
#[ignore = "run by another test, in a process of its own"]
async fn search_on_a_full_disk() {
    let dir = place().join("store");
    fill(&dir).await;
    for room in [0, 64 << 10, 700 << 10] {
        let ballast = place().join("ballast");
        let mut file = fs::File::create(&ballast).unwrap();
        while file.write_all(&[1; 4096]).is_ok() {}
        let length = file.metadata().unwrap().len();
        file.set_len(length.saturating_sub(room)).unwrap();
        // Each search tries to build the index.
        compare_words(&dir, &["number17"]).await;
        // It takes nothing of the room that there is.
        let is_kept = dir.join("index/data").exists();
        assert_eq!(is_kept, dir.join("index/SEAL").exists(), "{room}");
        fs::remove_file(&ballast).unwrap();
        drop(fs::remove_dir_all(dir.join("index")));
    }
    assert_eq!(compare(&dir).await.len(), 1);
    assert!(dir.join("index/SEAL").exists());
    say("found");
}

/// This program at one of its ignored tests, which is killed if it never ends.
fn other(test: &str, dir: &Path) -> Command {
    let mut command = Command::new("timeout");
    command.args(["-s", "KILL", "120"]).arg(std::env::current_exe().unwrap());
    command.args([test, "--exact", "--ignored", "--nocapture", "--test-threads=1"]);
    command.env(PLACE, dir).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Gives the store to another user, as whom the process runs: one of 64 that are only for tests of
/// this process.
fn be_another_user(child: &mut Command, dir: &Path, number: u32) {
    let user = 100_000 + std::process::id() * 64 + number;
    let mut open = vec![dir.to_owned()];
    while let Some(path) = open.pop() {
        chown(&path, Some(user), None).unwrap();
        if path.is_dir() {
            open.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        }
    }
    child.uid(user);
}

fn wait_for(child: &mut Child, line: &str) {
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
    assert!(lines.any(|said| said.ends_with(line)), "the other process did not say {line:?}");
}

/// Returns the last line of a process that ended well, and printed no path of the build.
fn shown(output: &Output, what: &str) -> String {
    let out = String::from_utf8_lossy(&output.stdout);
    let err = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{what}: {:?}\n{out}\n{err}", output.status);
    assert!(!err.contains("panicked") && !err.contains("/registry/"), "{what}: {err}");
    let known = ["found", "refused"];
    let line = out
        .lines()
        .find_map(|line| known.iter().find_map(|word| line.find(word).map(|at| &line[at..])));
    line.unwrap_or_else(|| panic!("{what}: {out}")).to_owned()
}

/// In the other process, the place of the store.
fn place() -> PathBuf {
    std::env::var_os(PLACE).expect("this is run by another test, in a process of its own").into()
}

const PLACE: &str = "SILCROW_TEST_PLACE";
const LIMIT: &str = "SILCROW_TEST_THREADS";

/// Set if no file system can be made, such as in some containers.
const WITHOUT: &str = "SILCROW_WITHOUT_TMPFS";
