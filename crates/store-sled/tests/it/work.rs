//! What writers in another process write, and what must be there of it afterwards.

use std::path::Path;
use std::process::Stdio;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use silcrow_event::{Entry, Event, Timestamp};
use silcrow_store::Store as _;
use silcrow_store_sled::{Options, SledDurability, SledStore};

use crate::process::{command, said, say, store};

/// What was acknowledged: the head of each writer's log, the version of its value, and which of the
/// logs that it deletes again was the last.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Told {
    heads: [u64; WRITERS],
    versions: [u64; WRITERS],
    deleted: [u64; WRITERS],
}

impl Told {
    /// Takes a line of [`write()`]'s output into account; one that was cut off tells of nothing.
    pub(crate) fn push(&mut self, line: &str) {
        let words: Vec<_> = said(line).unwrap_or_default().split(' ').collect();
        let [what, writer, reached, "ok"] = words[..] else { return };
        let of = match what {
            "log" => &mut self.heads,
            "value" => &mut self.versions,
            _ => &mut self.deleted,
        };
        // One that is begun again may be there again.
        let reached = if what == "begun" { 0 } else { reached.parse().unwrap() };
        of[writer.parse::<usize>().unwrap()] = reached;
    }

    fn to_text(self) -> String {
        let numbers = self.heads.into_iter().chain(self.versions).chain(self.deleted);
        numbers.map(|number| format!("{number} ")).collect()
    }
}

impl FromStr for Told {
    type Err = std::num::ParseIntError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut numbers = text.split_whitespace().map(str::parse);
        let mut next = || numbers.next().expect("there is a number for each");
        let mut told = Self::default();
        let all = told.heads.iter_mut().chain(&mut told.versions).chain(&mut told.deleted);
        for number in all {
            *number = next()?;
        }
        Ok(told)
    }
}

/// Appends from [`WRITERS`] tasks and says each acknowledgement, until `limit` of them or for ever.
pub(crate) async fn write(store: Arc<SledStore>, limit: u64) {
    let said = Arc::new(AtomicU64::new(0));
    let writers = (0..WRITERS).map(|writer| {
        let (store, said) = (Arc::clone(&store), Arc::clone(&said));
        tokio::spawn(async move {
            let log = log(writer);
            let mut head = store.head(&log).await.unwrap();
            let kept = store.get("values", &log).await.unwrap();
            let mut version = kept.map_or(0, |kept| kept.version);
            while said.fetch_add(1, Ordering::Relaxed) < limit {
                if head % 5 == 4 {
                    let value = value_at(writer, version + 1);
                    version = store.put("values", &log, version, value).await.unwrap();
                    say(&format!("value {writer} {version} ok"));
                }
                if head % 7 == 6 {
                    say(&format!("begun {writer} {head} ok"));
                    begin_and_delete(&store, writer, head).await;
                    say(&format!("deleted {writer} {head} ok"));
                }
                let batch = (head + 1..=end_of_batch(head + 1)).map(|at| entry_at(writer, at));
                head = store.append(&log, head, batch.collect()).await.unwrap();
                say(&format!("log {writer} {head} ok"));
            }
        })
    });
    for done in futures_util::future::join_all(writers.collect::<Vec<_>>()).await {
        done.unwrap();
    }
}

/// A log with a value of its own, which are both gone in the end.
async fn begin_and_delete(store: &SledStore, writer: usize, number: u64) {
    let (side, space) = side(writer);
    // A process before this one may not have come to the deletion.
    let left = store.head(&side).await.unwrap();
    store.delete(&side, left).await.unwrap();
    let batch = (0..3).map(|_| entry_at(writer, number)).collect();
    store.append(&side, 0, batch).await.unwrap();
    store.put(&space, "k", 0, value_at(writer, number)).await.unwrap();
    store.delete(&side, 3).await.unwrap();
}

/// How many events are in the store in `dir`, which a new process opens: every log must be what its
/// writer wrote, without a gap and at least as far as was acknowledged, and so must the values.
///
/// # Errors
///
/// What that process said, where something is not as it must be.
pub(crate) fn verify(dir: &Path, told: Told) -> Result<u64, String> {
    let mut command = command("work::read", dir);
    let output = command.env(TOLD, told.to_text()).stderr(Stdio::piped()).output().unwrap();
    let words = String::from_utf8_lossy(&output.stdout);
    let total = words.lines().find_map(said).and_then(|said| said.parse().ok());
    total.ok_or_else(|| format!("{words}{}", String::from_utf8_lossy(&output.stderr)))
}

/// The other process of [`verify`].
#[tokio::test]
#[ignore = "run by another test, in a process of its own"]
async fn read() {
    let told: Told = std::env::var(TOLD).unwrap().parse().unwrap();
    let options = Options { durability: SledDurability::Process };
    let store = SledStore::open(store(), options).await.unwrap();
    let (mut total, mut beside) = (0, 0);
    for writer in 0..WRITERS {
        let (log, told_head) = (log(writer), told.heads[writer]);
        let head = store.head(&log).await.unwrap();
        assert!(head >= told_head, "writer {writer}: {told_head} acknowledged, {head} there");
        let entries = store.read(&log, 1..=u64::MAX).await.unwrap();
        assert_eq!(entries.len() as u64, head);
        for (entry, position) in entries.iter().zip(1..) {
            assert_eq!(*entry, Entry { seq: Some(position), ..entry_at(writer, position) });
        }
        assert_eq!(end_of_batch(head), head, "writer {writer}: a batch is there in part");
        total += head;

        let kept = store.get("values", &log).await.unwrap();
        let version = kept.as_ref().map_or(0, |kept| kept.version);
        assert!(version >= told.versions[writer], "writer {writer}: a value is lost");
        assert!(kept.is_none_or(|kept| kept.value == value_at(writer, version)));

        // What is deleted is gone, and what is not yet is whole; that is before the log goes on.
        let (side, space) = side(writer);
        let left = store.read(&side, 1..=u64::MAX).await.unwrap();
        let value = store.get(&space, "k").await.unwrap().map(|kept| kept.value);
        if left.is_empty() {
            assert_eq!(value, None, "writer {writer}: a value outlives what it belongs to");
        } else {
            assert_ne!(told.deleted[writer], head, "writer {writer}: a deletion is lost");
            assert_eq!(left.len(), 3, "writer {writer}: a part of a log");
            assert!(left.iter().all(|left| left.event == entry_at(writer, head).event));
            assert!(value.is_none_or(|value| value == value_at(writer, head)));
        }
        beside += left.len() as u64;
    }
    let listed: u64 = store.list(None).await.unwrap().iter().map(|summary| summary.events).sum();
    assert_eq!(listed, total + beside);
    assert_eq!(store.verify().await.unwrap().damage, []);
    say(&total.to_string());
}

fn log(writer: usize) -> String {
    format!("writer {writer}")
}

/// The log that a writer deletes again, and the space that belongs to it.
fn side(writer: usize) -> (String, String) {
    let side = format!("side {writer}");
    let space = format!("of/{side}");
    (side, space)
}

/// Mostly short, sometimes 60 kB or 300 kB.
fn entry_at(writer: usize, position: u64) -> Entry {
    let size = match position % 50 {
        17 => 60_000,
        33 if position % 100 == 33 => 300_000,
        other => 20 * other as usize,
    };
    let text = format!("writer {writer} position {position} ");
    let content = text.chars().cycle().take(text.len() + size).collect::<String>();
    let time = Timestamp::from_nanos(position as i64 * 1_000_000_007);
    Entry { timestamp: Some(time), ..Event::user(content).into() }
}

/// Of the same sizes.
fn value_at(writer: usize, version: u64) -> Vec<u8> {
    entry_at(writer, version).to_json().into_bytes()
}

/// Batches end at 1, 3, 6, 7, 9, 12, …: one, two and three entries in turn.
fn end_of_batch(position: u64) -> u64 {
    match position % 6 {
        2 | 5 => position + 1,
        4 => position + 2,
        _ => position,
    }
}

/// How often a campaign does what it does: what the variable `name` says, or `usual`.
pub(crate) fn rounds(name: &str, usual: u64) -> u64 {
    std::env::var(name).map_or(usual, |rounds| rounds.parse().unwrap())
}

const WRITERS: usize = 4;
const TOLD: &str = "SILCROW_TEST_TOLD";
