//! What an acknowledged append costs, beside the least that it could: a write and a sync.
//!
//! `cargo bench -p silcrow-store-sled`; the folder of the stores may be given as `TMPDIR`.

use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

use futures_util::future::join_all;
use silcrow_event::{Entry, Event};
use silcrow_store::Store as _;
use silcrow_store_sled::{Durability, Options, SledStore};

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(run());
}

async fn run() {
    let dir = tempfile::tempdir().unwrap();
    let mut bare = bare(&dir.path().join("bare"));
    // Twice, before and after: the disk of a shared machine changes its mind.
    let mut one = one(&dir.path().join("one"), Durability::Power).await;
    bare.extend(self::bare(&dir.path().join("bare")));
    let bare_rate = rate(&bare, 1);
    tell("bare write + fdatasync of 300 bytes", &mut bare, 1);
    tell("append of 300 bytes, one writer", &mut one, 1);
    let mut process = self::one(&dir.path().join("process"), Durability::Process).await;
    tell("  the same, durability `process`", &mut process, 1);
    let rate = four(&dir.path().join("four")).await;
    say(&format!("4 writers: {rate:.0} appends/s, {:.2} x bare", rate / bare_rate));
    for size in [1, 16] {
        let rate = batches(&dir.path().join(format!("batch{size}")), size).await;
        say(&format!("batches of {size}, one writer: {rate:.0} events/s"));
    }
    open(&dir.path().join("open")).await;
}

fn bare(path: &Path) -> Vec<Duration> {
    let mut file = File::options().create(true).append(true).open(path).unwrap();
    let time = |_| {
        let start = Instant::now();
        file.write_all(&[b'x'; 300]).unwrap();
        file.sync_data().unwrap();
        start.elapsed()
    };
    (0..SAMPLES).map(time).collect()
}

async fn one(dir: &Path, durability: Durability) -> Vec<Duration> {
    let store = SledStore::open(dir, Options { durability }).await.unwrap();
    let mut times = Vec::new();
    for head in 0..SAMPLES {
        let start = Instant::now();
        store.append("c", head, vec![entry()]).await.unwrap();
        times.push(start.elapsed());
    }
    times
}

/// Appends a second of four writers, each to a conversation of its own.
async fn four(dir: &Path) -> f64 {
    let store = SledStore::open(dir, Options::default()).await.unwrap();
    let start = Instant::now();
    let store = &store;
    join_all((0..4).map(|writer| async move {
        for head in 0..SAMPLES {
            store.append(&format!("c{writer}"), head, vec![entry()]).await.unwrap();
        }
    }))
    .await;
    (4 * SAMPLES) as f64 / start.elapsed().as_secs_f64()
}

async fn batches(dir: &Path, size: usize) -> f64 {
    let store = SledStore::open(dir, Options::default()).await.unwrap();
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
        let store = SledStore::open(dir, options).await.unwrap();
        for conversation in 0..100 {
            store.append(&format!("c{conversation}"), 0, vec![entry(); 100]).await.unwrap();
        }
    }
    let size = size(dir);
    say(&format!("10,000 events of 300 bytes take {:.1} x that", size as f64 / 3e6));
    for time in ["first", "again"] {
        let start = Instant::now();
        let store = SledStore::open(dir, options).await.unwrap();
        let opened = start.elapsed();
        store.read("c7", 1..=u64::MAX).await.unwrap();
        let read = start.elapsed() - opened;
        store.list().await.unwrap();
        let listed = start.elapsed() - opened - read;
        say(&format!(
            "open with 10,000 events ({time}): {opened:.1?}; read of 100: {read:.1?}; list of \
             100: {listed:.1?}"
        ));
    }
    let start = Instant::now();
    drop(SledStore::open(&dir.join("../new"), options).await.unwrap());
    say(&format!("make, open and close a new store: {:.1?}", start.elapsed()));
}

/// 300 bytes as they are kept.
fn entry() -> Entry {
    let mut entry = Entry { timestamp: Some(1_763_712_345.123_456_7), ..Event::user("").into() };
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

fn rate(times: &[Duration], each: usize) -> f64 {
    (times.len() * each) as f64 / times.iter().sum::<Duration>().as_secs_f64()
}

fn tell(what: &str, times: &mut [Duration], each: usize) {
    times.sort_unstable();
    let at = |percent: usize| times[times.len() * percent / 100];
    say(&format!("{what}: p50 {:.0?}, p99 {:.0?}, {:.0}/s", at(50), at(99), rate(times, each)));
}

fn say(line: &str) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}").unwrap();
}

const SAMPLES: u64 = 2_000;
