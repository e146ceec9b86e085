//! Concurrent writes of processes to one store, and the data that must be there afterwards.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use silcrow_event::{Entry, Event, Timestamp};
use silcrow_store::{ErrorKind, Store as _};
use silcrow_store_log::{LogStore, Options};

use crate::process::said;

/// The acknowledged writes, by writer; and which writer has which number at a position of the
/// conversation that all share.
#[derive(Clone, Debug, Default)]
pub(crate) struct Told {
    heads: BTreeMap<u64, u64>,
    versions: BTreeMap<u64, u64>,
    deleted: BTreeMap<u64, u64>,
    shared: BTreeMap<u64, (u64, u64)>,
    /// All of it, as lines of output.
    pub(crate) lines: String,
}

impl Told {
    /// Takes a line of [`write()`]'s output into account; one that was cut off says nothing.
    pub(crate) fn push(&mut self, line: &str) {
        let words: Vec<_> = said(line).unwrap_or_default().split(' ').collect();
        let [what, numbers @ .., "ok"] = &words[..] else { return };
        let numbers: Vec<u64> = numbers.iter().map(|number| number.parse().unwrap()).collect();
        match (*what, &numbers[..]) {
            ("log", &[writer, head]) => drop(self.heads.insert(writer, head)),
            ("value", &[writer, version]) => drop(self.versions.insert(writer, version)),
            ("deleted", &[writer, head]) => drop(self.deleted.insert(writer, head)),
            // One that is begun again may be there again.
            ("begun", &[writer, _]) => drop(self.deleted.insert(writer, 0)),
            ("shared", &[writer, number, position]) => {
                let before = self.shared.insert(position, (writer, number));
                assert_eq!(before, None, "position {position} was acknowledged twice");
            }
            other => panic!("{other:?}"),
        }
        self.lines.push_str(line);
        self.lines.push('\n');
    }
}

/// Appends from three tasks and says each acknowledgement, until there were `limit` of them.
pub(crate) async fn write(store: Arc<LogStore>, process: u64, limit: u64) {
    write_and(store, process, limit, crate::process::say).await;
}

/// As [`write()`], and says nothing.
pub(crate) async fn write_silently(store: Arc<LogStore>, process: u64, limit: u64) {
    write_and(store, process, limit, |_| {}).await;
}

async fn write_and(store: Arc<LogStore>, process: u64, limit: u64, say: fn(&str)) {
    let budget = Arc::new(AtomicU64::new(limit));
    let mut tasks = tokio::task::JoinSet::new();
    for writer in [2 * process, 2 * process + 1] {
        tasks.spawn(write_own(Arc::clone(&store), writer, Arc::clone(&budget), say));
    }
    tasks.spawn(write_shared(store, process, budget, u64::MAX, say));
    tasks.join_all().await;
}

/// Adds to the conversation that all share until this process has added as many events.
pub(crate) async fn share_until(store: Arc<LogStore>, process: u64, number: u64) {
    let budget = Arc::new(AtomicU64::new(u64::MAX));
    write_shared(store, process, budget, number, crate::process::say).await;
}

fn is_left(budget: &AtomicU64) -> bool {
    let taken =
        budget.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1));
    taken.is_ok()
}

async fn write_own(store: Arc<LogStore>, writer: u64, budget: Arc<AtomicU64>, say: fn(&str)) {
    let log = log(writer);
    // This settles the writes of a process when it died, so that readers see them or never will.
    let _ = store.append(&log, 0, Vec::new()).await;
    let mut head = store.head(&log).await.unwrap();
    let kept = store.get("values", &log).await.unwrap();
    let mut version = kept.map_or(0, |kept| kept.version);
    while is_left(&budget) {
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
}

/// Adds to the conversation that others add to as well: an attempt that came too late is made again.
async fn write_shared(
    store: Arc<LogStore>,
    writer: u64,
    budget: Arc<AtomicU64>,
    until: u64,
    say: fn(&str),
) {
    let entries = store.read(SHARED, 1..=u64::MAX).await.unwrap();
    let mut head = entries.len() as u64;
    let mut ours = entries.iter().filter(|entry| shared_of(entry).0 == writer);
    let mut number = ours.next_back().map_or(0, |last| shared_of(last).1);
    while number < until && is_left(&budget) {
        let event = Event::user(format!("{writer} {}", number + 1)).into();
        match store.append(SHARED, head, vec![event]).await {
            Ok(position) => {
                number += 1;
                head = position;
                say(&format!("shared {writer} {number} {position} ok"));
            }
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::Conflict, "{error}");
                // Writes of an earlier process that died may be among them.
                for entry in store.read(SHARED, head + 1..=u64::MAX).await.unwrap() {
                    head += 1;
                    number =
                        if shared_of(&entry).0 == writer { shared_of(&entry).1 } else { number };
                }
            }
        }
    }
}

/// Returns the writer of an entry of the shared conversation, and the writer's number.
pub(crate) fn shared_of(entry: &Entry) -> (u64, u64) {
    let Event::User { content, .. } = &entry.event else { panic!("{entry:?}") };
    let (writer, number) = content.as_text().unwrap().split_once(' ').unwrap();
    (writer.parse().unwrap(), number.parse().unwrap())
}

/// A log with a value of its own, both of which are gone in the end.
async fn begin_and_delete(store: &LogStore, writer: u64, number: u64) {
    let (side, space) = side(writer);
    // A process before this one may not have come to the deletion.
    let left = store.head(&side).await.unwrap();
    store.delete(&side, left).await.unwrap();
    let batch = (0..3).map(|_| entry_at(writer, number)).collect();
    store.append(&side, 0, batch).await.unwrap();
    store.put(&space, "k", 0, value_at(writer, number)).await.unwrap();
    store.delete(&side, 3).await.unwrap();
}

/// Checks that every log is as its writer wrote it, without a gap and with everything that was
/// acknowledged, and so are the values. Returns the number of events.
pub(crate) async fn check(dir: &Path, told: &Told) -> u64 {
    let store = LogStore::open(dir, Options::default()).await.unwrap();
    let (mut total, mut writers) = (0, 0);
    for summary in store.list(None).await.unwrap() {
        total += summary.events;
        let Some(writer) = summary.conversation.strip_prefix("writer ") else { continue };
        writers += 1;
        check_own(&store, writer.parse().unwrap(), told).await;
    }
    for (writer, head) in &told.heads {
        assert!(store.head(&log(*writer)).await.unwrap() >= *head, "{head} of {writer} is lost");
    }
    assert!(writers >= told.heads.len());
    for (writer, version) in &told.versions {
        let kept = store.get("values", &log(*writer)).await.unwrap().expect("it was acknowledged");
        assert!(kept.version >= *version, "writer {writer}: a value is lost");
        assert!(kept.value == value_at(*writer, kept.version));
    }

    let mut numbers = BTreeMap::<u64, u64>::new();
    let entries = store.read(SHARED, 1..=u64::MAX).await.unwrap();
    for (entry, position) in entries.iter().zip(1..) {
        let (writer, number) = shared_of(entry);
        let last = numbers.entry(writer).or_default();
        assert_eq!(number, *last + 1, "writer {writer} at {position}");
        *last = number;
        if let Some(acknowledged) = told.shared.get(&position) {
            assert_eq!(*acknowledged, (writer, number), "position {position}");
        }
    }
    let last = told.shared.keys().last().copied().unwrap_or_default();
    assert!(entries.len() as u64 >= last, "{last} of the shared log are lost");
    assert_eq!(store.verify().await.unwrap().damage, []);
    total
}

async fn check_own(store: &LogStore, writer: u64, told: &Told) {
    let log = log(writer);
    let entries = store.read(&log, 1..=u64::MAX).await.unwrap();
    let head = entries.len() as u64;
    assert_eq!(store.head(&log).await.unwrap(), head);
    for (entry, position) in entries.iter().zip(1..) {
        assert_eq!(*entry, Entry { seq: Some(position), ..entry_at(writer, position) });
    }
    assert_eq!(end_of_batch(head), head, "writer {writer}: a batch is there in part");

    // Deleted data is gone, and data that is not deleted yet is whole; that is before the log
    // continues.
    let (side, space) = side(writer);
    let left = store.read(&side, 1..=u64::MAX).await.unwrap();
    let value = store.get(&space, "k").await.unwrap().map(|kept| kept.value);
    if left.is_empty() {
        assert_eq!(value, None, "writer {writer}: a value outlives what it belongs to");
    } else {
        assert_ne!(told.deleted.get(&writer), Some(&head), "writer {writer}: it is back");
        assert_eq!(left.len(), 3, "writer {writer}: a part of a log");
        assert!(left.iter().all(|left| left.event == entry_at(writer, head).event));
        assert!(value.is_none_or(|value| value == value_at(writer, head)));
    }
}

fn log(writer: u64) -> String {
    format!("writer {writer}")
}

/// The log that a writer deletes again, and the space that belongs to it.
fn side(writer: u64) -> (String, String) {
    let side = format!("side {writer}");
    let space = format!("of/{side}");
    (side, space)
}

/// Mostly short, sometimes 60 kB or 300 kB.
fn entry_at(writer: u64, position: u64) -> Entry {
    let size = match position % 50 {
        17 => 60_000,
        33 if position % 100 == 33 => 300_000,
        other => 20 * other as usize,
    };
    let text = format!("writer {writer} position {position} ");
    let content = text.repeat(size / text.len() + 1);
    let time = Timestamp::from_nanos(position as i64 * 1_000_000_007);
    Entry { timestamp: Some(time), ..Event::user(content).into() }
}

/// Of the same sizes.
fn value_at(writer: u64, version: u64) -> Vec<u8> {
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

/// The conversation that all processes add to.
pub(crate) const SHARED: &str = "shared";
