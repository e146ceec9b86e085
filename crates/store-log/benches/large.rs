//! A store of 200,000 events: its size on the disk and in memory, and how fast it opens, lists and
//! finds, with its index and without.
//!
//! `cargo bench -p silcrow-store-log --bench large`; the folder may be given as `TMPDIR`.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use futures_util::future::join_all;
use silcrow_event::{Entry, Event, Timestamp};
use silcrow_store::Store as _;
use silcrow_store::search::{self, Query};
use silcrow_store_log::{Durability, LogStore, Options};

fn main() {
    // A runner of tests starts benches too; only `cargo bench` adds this.
    if !std::env::args().any(|arg| arg == "--bench") {
        return;
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    match std::env::var_os(STORE) {
        Some(dir) => runtime.block_on(measure(Path::new(&dir))),
        None => runtime.block_on(fill()),
    }
}

async fn fill() {
    let dir = tempfile::tempdir().unwrap();
    let payload = append(dir.path()).await;
    say(&format!("{EVENTS} events in {CONVERSATIONS} conversations, {payload} bytes"));
    say(&format!("the log takes {}", share(&dir.path().join("log"), payload)));
    // Each in a separate process, as commands are.
    for _ in 0..3 {
        let mut child = Command::new(std::env::current_exe().unwrap());
        assert!(child.arg("--bench").env(STORE, dir.path()).status().unwrap().success());
    }
    if dir.path().join("index").exists() {
        say(&format!("the index takes {}", share(&dir.path().join("index"), payload)));
    }
    if let Some(keep) = std::env::var_os("SILCROW_BENCH_KEEP") {
        assert!(Command::new("cp").arg("-r").arg(dir.path()).arg(keep).status().unwrap().success());
    }
}

/// Appends all events one by one, from several writers. Returns the payload: the bytes of the JSON
/// and of the conversation's id, of each event.
async fn append(dir: &Path) -> u64 {
    let options = Options { durability: Durability::Process };
    let store = &LogStore::open(dir, options).await.unwrap();
    let mut payload = 0;
    for group in 0..CONVERSATIONS / WRITERS {
        let writers = (0..WRITERS).map(|writer| async move {
            let number = group * WRITERS + writer;
            let conversation = format!("c{number}");
            let mut payload = 0;
            for head in 0..EVENTS / CONVERSATIONS {
                let entry = entry(number, head);
                let stored = Entry { seq: Some(head + 1), ..entry.clone() };
                payload += (conversation.len() + stored.to_json().len()) as u64;
                store.append(&conversation, head, vec![entry]).await.unwrap();
            }
            payload
        });
        payload += join_all(writers).await.into_iter().sum::<u64>();
    }
    payload
}

async fn measure(dir: &Path) {
    let start = Instant::now();
    let store = LogStore::open(dir, Options::default()).await.unwrap();
    say(&format!("opened in {:.1?}; memory {} MiB", start.elapsed(), memory()));
    let (list, took) = timed(store.list(None)).await;
    say(&format!("list of {}: {took:.1?}", list.unwrap().len()));

    let mut times = Vec::new();
    for number in 0..60 {
        let query = query(number);
        let (hits, took) = timed(store.search(&query)).await;
        assert!(!hits.unwrap().is_empty());
        times.push(took);
    }
    let first = times.remove(0);
    say(&format!("search, 1 to 3 words: first {first:.1?}, then {}", spread(times)));
    let (hits, took) = timed(search::read_all(&store, &query(0))).await;
    assert!(!hits.unwrap().is_empty());
    say(&format!("search without an index: {took:.1?}; memory {} MiB", memory()));
    let (report, took) = timed(store.verify()).await;
    let report = report.unwrap();
    assert_eq!((report.events, report.damage.len()), (EVENTS, 0));
    say(&format!("verified in {took:.1?}; memory {} MiB, at most {} MiB", memory(), peak()));
}

async fn timed<T>(work: impl Future<Output = T>) -> (T, Duration) {
    let start = Instant::now();
    let done = work.await;
    (done, start.elapsed())
}

fn query(number: u64) -> Query {
    let words = (0..1 + number % 3).map(|n| word(number * 31 + n * 7)).collect::<Vec<_>>();
    Query { words: words.join(" "), except: Some("c1".to_owned()), ..Query::default() }
}

fn spread(mut times: Vec<Duration>) -> String {
    times.sort_unstable();
    let at = |percent: usize| times[times.len() * percent / 100];
    format!("p50 {:.1?}, p99 {:.1?}", at(50), at(99))
}

/// 300 bytes as they are kept: of five, one is a person's, one a model's answer.
fn entry(conversation: u64, head: u64) -> Entry {
    let mut text = String::new();
    let mut number = conversation * 1_000 + head;
    while text.len() < 225 {
        text.push_str(&word(number));
        text.push(' ');
        number = number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695);
    }
    let event = match head % 5 {
        0 => Event::user(text),
        4 => Event::respond(text),
        _ => Event::think(text),
    };
    let seconds = (conversation * 1_000 + head) as i64;
    let time = Timestamp::from_nanos(1_763_712_345_123_456_000 + seconds * 1_000_000_000);
    Entry { timestamp: Some(time), turn: Some(1), ..event.into() }
}

/// One of some thousands of words of 2 to 8 letters.
fn word(number: u64) -> String {
    let mut rest = (number ^ (number >> 29)).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40;
    let letters = 2 + rest % 7;
    rest %= 4_000;
    (0..letters)
        .map(|_| {
            let letter = char::from(b'a' + (rest % 26) as u8);
            rest = rest / 26 + rest * 7;
            letter
        })
        .collect()
}

fn share(path: &Path, payload: u64) -> String {
    let size = size(path);
    format!("{size} bytes, {:.3} x the payload", size as f64 / payload as f64)
}

fn size(path: &Path) -> u64 {
    let found = fs::metadata(path).unwrap();
    if found.is_file() {
        return found.len();
    }
    fs::read_dir(path).unwrap().map(|entry| size(&entry.unwrap().path())).sum()
}

/// The memory of this process in MiB; 0 if the system does not report it.
fn memory() -> u64 {
    status("VmRSS:")
}

fn peak() -> u64 {
    status("VmHWM:")
}

fn status(name: &str) -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(name));
    line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok()).unwrap_or(0) >> 10
}

fn say(line: &str) {
    let mut out = std::io::stdout();
    writeln!(out, "{line}").unwrap();
}

const EVENTS: u64 = 200_000;
const CONVERSATIONS: u64 = 400;
const WRITERS: u64 = 20;
const STORE: &str = "SILCROW_BENCH_STORE";
