//! The cost of an acknowledged append: a bare write and sync, the embedded store, and SQLite with
//! its write-ahead log (`journal_mode = WAL`, `synchronous = FULL`), in turns on the same disk.
//!
//! `cargo run --release` in this folder; the folder of the files may be given as `TMPDIR`.

use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use futures_util::future::join_all;
use rusqlite::Connection;
use silcrow_event::{Entry, Event, Timestamp};
use silcrow_store::Store as _;
use silcrow_store_log::{LogStore, Options};

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(run());
}

async fn run() {
    let dir = tempfile::tempdir().unwrap();
    let mut bare = File::create(dir.path().join("bare")).unwrap();
    let store = LogStore::open(dir.path().join("store"), Options::default()).await.unwrap();
    let sqlite = Sqlite::open(dir.path());
    let line = entry().to_json();
    let mut one = [const { Vec::new() }; 3];
    let mut four = [Duration::ZERO; 3];
    for round in 0..ROUNDS {
        for _ in 0..EACH {
            one[0].push(timed(|| {
                bare.write_all(line.as_bytes()).unwrap();
                bare.sync_data().unwrap();
            }));
        }
        for head in round * EACH..(round + 1) * EACH {
            let start = Instant::now();
            store.append("c", head, vec![entry()]).await.unwrap();
            one[1].push(start.elapsed());
        }
        for head in round * EACH..(round + 1) * EACH {
            one[2].push(timed(|| sqlite.append("c", head, &line)));
        }

        let start = Instant::now();
        for _ in 0..EACH {
            bare.write_all(line.as_bytes()).unwrap();
            bare.sync_data().unwrap();
        }
        four[0] += start.elapsed();
        let start = Instant::now();
        join_all((0..WRITERS).map(|writer| {
            let store = &store;
            async move {
                for head in round * EACH..(round + 1) * EACH {
                    store.append(&format!("w{writer}"), head, vec![entry()]).await.unwrap();
                }
            }
        }))
        .await;
        four[1] += start.elapsed();
        let start = Instant::now();
        std::thread::scope(|scope| {
            for writer in 0..WRITERS {
                let (sqlite, line) = (&sqlite, &line);
                scope.spawn(move || {
                    for head in round * EACH..(round + 1) * EACH {
                        sqlite.append(&format!("w{writer}"), head, line);
                    }
                });
            }
        });
        four[2] += start.elapsed();
    }
    println!("{} bytes an event, {} appends each", line.len(), ROUNDS * EACH);
    println!("{:<26} {:>9} {:>9} {:>9} {:>14}", "", "p50", "p99", "a second", "four writers");
    let names = ["a bare write and fdatasync", "the embedded store", "SQLite, WAL, FULL"];
    for (index, (name, times)) in names.into_iter().zip(&mut one).enumerate() {
        times.sort_unstable();
        let at = |percent: usize| format!("{:.2?}", times[times.len() * percent / 100]);
        let rate = times.len() as f64 / times.iter().sum::<Duration>().as_secs_f64();
        let writers = if index == 0 { 1.0 } else { WRITERS as f64 };
        let together = writers * (ROUNDS * EACH) as f64 / four[index].as_secs_f64();
        let together =
            if index == 0 { format!("({together:.0} by one)") } else { format!("{together:.0}") };
        println!("{name:<26} {:>9} {:>9} {rate:>9.0} {together:>14}", at(50), at(99));
    }
}

/// One connection for all writers, as one process would have.
struct Sqlite(Mutex<Connection>);

impl Sqlite {
    fn open(dir: &Path) -> Self {
        let connection = Connection::open(dir.join("sqlite")).unwrap();
        connection
            .execute_batch(
                "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
                 CREATE TABLE events (conversation TEXT, position INTEGER, event TEXT,
                                      PRIMARY KEY (conversation, position)) WITHOUT ROWID;",
            )
            .unwrap();
        Self(Mutex::new(connection))
    }

    fn append(&self, conversation: &str, head: u64, line: &str) {
        let connection = self.0.lock().unwrap();
        let mut insert =
            connection.prepare_cached("INSERT INTO events VALUES (?1, ?2, ?3)").unwrap();
        insert.execute((conversation, head as i64 + 1, line)).unwrap();
    }
}

fn timed(work: impl FnOnce()) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}

/// 300 bytes as they are kept.
fn entry() -> Entry {
    let time = Timestamp::from_nanos(1_763_712_345_123_456_700);
    let mut entry = Entry { timestamp: Some(time), ..Event::user("").into() };
    entry.seq = Some(1_000);
    let rest = 300 - entry.to_json().len();
    entry.event = Event::user("x".repeat(rest));
    entry
}

const ROUNDS: u64 = 20;
const EACH: u64 = 100;
const WRITERS: u64 = 4;
