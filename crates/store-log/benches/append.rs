//! The cost of an acknowledged append, compared with the minimum: a write and a sync.
//!
//! `cargo bench -p silcrow-store-log`; the folder of the stores may be given as `TMPDIR`.

use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

use futures_util::future::join_all;
use silcrow_event::{Entry, Event, Timestamp};
use silcrow_store::Store as _;
use silcrow_store_log::{Durability, LogStore, Options};

fn main() {
    // A runner of tests starts benches too; only `cargo bench` adds this.
    if !std::env::args().any(|arg| arg == "--bench") {
        return;
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(run());
}

async fn run() {
    let dir = tempfile::tempdir().unwrap();
    let (mut bare, mut one) = (Vec::new(), Vec::new());
    beside(dir.path(), &mut bare, &mut one).await;
    let alone = rate(&bare);
    print_times("bare write + fdatasync of 300 bytes", &mut bare);
    print_times("append of 300 bytes, one writer", &mut one);
    print_line(&format!(
        "  that is {:.2} x at p50, {:.2} x at p99",
        ratio(&one, &bare, 50),
        ratio(&one, &bare, 99)
    ));
    let mut process = process(&dir.path().join("process")).await;
    print_times("  with durability `process`", &mut process);
    let (bare, four) = four(dir.path()).await;
    print_line(&format!(
        "4 writers: {four:.0} appends/s, {:.2} x bare in the same rounds ({bare:.0}/s; alone \
         {alone:.0}/s)",
        four / bare
    ));
    for size in [1, 16] {
        let rate = batches(&dir.path().join(format!("batch{size}")), size).await;
        print_line(&format!("batches of {size}, one writer: {rate:.0} events/s"));
    }
    open(&dir.path().join("open")).await;
}

/// The minimum cost of a durable append.
struct Bare(File);

impl Bare {
    fn new(dir: &Path) -> Self {
        Self(File::options().create(true).append(true).open(dir.join("bare")).unwrap())
    }

    fn append(&mut self) -> Duration {
        let start = Instant::now();
        self.0.write_all(&[b'x'; 300]).unwrap();
        self.0.sync_data().unwrap();
        start.elapsed()
    }
}

/// In turns, so that both meet the same conditions: the disk of a shared machine varies. Not one by
/// one, because each would pay for the other's entries in the file system's journal.
async fn beside(dir: &Path, bare: &mut Vec<Duration>, one: &mut Vec<Duration>) {
    let mut file = Bare::new(dir);
    let store = LogStore::open(dir.join("one"), Options::default()).await.unwrap();
    for round in 0..SAMPLES / EACH {
        bare.extend((0..EACH).map(|_| file.append()));
        for head in round * EACH..(round + 1) * EACH {
            let start = Instant::now();
            store.append("c", head, vec![entry()]).await.unwrap();
            one.push(start.elapsed());
        }
    }
}

async fn process(dir: &Path) -> Vec<Duration> {
    let options = Options { durability: Durability::Process };
    let store = LogStore::open(dir, options).await.unwrap();
    let mut times = Vec::new();
    for head in 0..SAMPLES {
        let start = Instant::now();
        store.append("c", head, vec![entry()]).await.unwrap();
        times.push(start.elapsed());
    }
    times
}

/// A second of bare appends, and of four writers, each to a separate conversation; in rounds.
async fn four(dir: &Path) -> (f64, f64) {
    let store = LogStore::open(dir.join("four"), Options::default()).await.unwrap();
    let store = &store;
    let mut file = Bare::new(dir);
    let (mut bare, mut four) = (Duration::ZERO, Duration::ZERO);
    for round in 0..ROUNDS {
        bare += (0..EACH).map(|_| file.append()).sum::<Duration>();
        let start = Instant::now();
        join_all((0..4).map(|writer| async move {
            for head in round * EACH..(round + 1) * EACH {
                store.append(&format!("c{writer}"), head, vec![entry()]).await.unwrap();
            }
        }))
        .await;
        four += start.elapsed();
    }
    let total = (ROUNDS * EACH) as f64;
    (total / bare.as_secs_f64(), 4.0 * total / four.as_secs_f64())
}

async fn batches(dir: &Path, size: usize) -> f64 {
    let store = LogStore::open(dir, Options::default()).await.unwrap();
    let start = Instant::now();
    let mut head = 0;
    for _ in 0..SAMPLES {
        head = store.append("c", head, vec![entry(); size]).await.unwrap();
    }
    head as f64 / start.elapsed().as_secs_f64()
}

async fn open(dir: &Path) {
    let options = Options { durability: Durability::Process };
    {
        let store = LogStore::open(dir, options).await.unwrap();
        for conversation in 0..100 {
            store.append(&format!("c{conversation}"), 0, vec![entry(); 100]).await.unwrap();
        }
    }
    let size = size(dir);
    print_line(&format!("10,000 events of 300 bytes take {:.1} x that", size as f64 / 3e6));
    for time in ["first", "again"] {
        let start = Instant::now();
        let store = LogStore::open(dir, options).await.unwrap();
        let opened = start.elapsed();
        store.read("c7", 1..=u64::MAX).await.unwrap();
        let read = start.elapsed() - opened;
        store.list(None).await.unwrap();
        let listed = start.elapsed() - opened - read;
        print_line(&format!(
            "open with 10,000 events ({time}): {opened:.1?}; read of 100: {read:.1?}; list of \
             100: {listed:.1?}"
        ));
    }
    let start = Instant::now();
    drop(LogStore::open(&dir.join("../new"), options).await.unwrap());
    print_line(&format!("make, open and close a new store: {:.1?}", start.elapsed()));
}

/// 300 bytes as they are kept.
fn entry() -> Entry {
    let time = Timestamp::from_nanos(1_763_712_345_123_456_700);
    let mut entry = Entry { timestamp: Some(time), ..Event::user("").into() };
    entry.seq = Some(1_000);
    let rest = 300 - entry.to_json().len();
    Entry { event: Event::user("x".repeat(rest)), ..entry }
}

fn size(dir: &Path) -> u64 {
    let entries = std::fs::read_dir(dir).unwrap().map(Result::unwrap);
    entries
        .map(|entry| match entry.file_type().unwrap().is_dir() {
            true => size(&entry.path()),
            false => entry.metadata().unwrap().len(),
        })
        .sum()
}

fn rate(times: &[Duration]) -> f64 {
    times.len() as f64 / times.iter().sum::<Duration>().as_secs_f64()
}

/// Of sorted times.
fn at(times: &[Duration], percent: usize) -> Duration {
    times[times.len() * percent / 100]
}

fn ratio(times: &[Duration], base: &[Duration], percent: usize) -> f64 {
    at(times, percent).as_secs_f64() / at(base, percent).as_secs_f64()
}

fn print_times(what: &str, times: &mut [Duration]) {
    times.sort_unstable();
    let (p50, p99, rate) = (at(times, 50), at(times, 99), rate(times));
    print_line(&format!("{what}: p50 {p50:.2?}, p99 {p99:.2?}, {rate:.0}/s"));
}

fn print_line(line: &str) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}").unwrap();
}

const SAMPLES: u64 = 2_000;
const ROUNDS: u64 = 10;
const EACH: u64 = 100;
