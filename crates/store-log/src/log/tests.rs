//! Reading in pieces, or together, gives the same as reading at once, or one by one: damaged or
//! not.

use std::collections::BTreeSet;
use std::fs;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use silcrow_event as event;
use silcrow_store::{Error, ErrorKind, Store as _};

use super::LogFiles;
use crate::options::{Durability, Options};
use crate::store::LogStore;

/// The text of an event, by conversation and number.
fn text(conversation: usize, number: usize) -> String {
    let length = match (number, conversation) {
        // It is longer than a single read.
        (67, _) => 300 << 10,
        // It lies between two others that are read at once, or is too long for that.
        (number, 1) => number * 30,
        (number, _) => number * 7,
    };
    format!("{conversation} {number} {}", "x".repeat(length))
}

/// Fills three segments with the events of two conversations.
fn fill(dir: &Path) {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(async {
        let options = Options { durability: Durability::Process };
        let store = LogStore::open(dir, options).await.unwrap();
        let mut heads = [0; CONVERSATIONS.len()];
        for segment in 0..3 {
            for number in 0..60 {
                let of = number * number / 3 % 2;
                let batch: Vec<_> = (0..=number % 10)
                    .map(|part| event::Event::user(text(of, number + part)).into())
                    .collect();
                let head = store.append(CONVERSATIONS[of], heads[of], batch).await;
                heads[of] = head.unwrap();
            }
            // A group that does not fit begins another segment.
            let long = event::Event::user("y".repeat(4 << 20)).into();
            store.append("long", segment, vec![long]).await.unwrap();
        }
    });
}

/// Returns the segments, in order.
fn segments(dir: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(dir.join("log")).unwrap();
    BTreeSet::from_iter(entries.map(|entry| entry.unwrap().path())).into_iter().collect()
}

/// The effect of a change of a file on a byte.
#[derive(Clone, Copy, Debug)]
enum Harm {
    Flip(u8),
    /// So many bytes become zeros.
    Zeros(usize),
    /// The file ends here.
    Cut,
}

fn harm() -> impl Strategy<Value = Vec<(prop::sample::Index, prop::sample::Index, Harm)>> {
    let kind = prop_oneof![
        6 => (0_u8..8).prop_map(|bit| Harm::Flip(1 << bit)),
        1 => (1_usize..9_000).prop_map(Harm::Zeros),
        1 => Just(Harm::Cut),
    ];
    prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), kind), 0..6)
}

fn shown<T>(read: Result<T, Error>) -> Result<T, (ErrorKind, String)> {
    read.map_err(|error| (error.kind(), error.to_string()))
}

/// Returns the events from a position to another, each read separately.
fn one_by_one(
    log: &LogFiles,
    conversation: &str,
    positions: RangeInclusive<u64>,
) -> Result<Vec<event::Entry>, Error> {
    positions.map(|position| log.entry(conversation, position)).collect()
}

/// Returns the log with each segment read at once.
fn in_whole_segments(dir: &Path) -> LogFiles {
    let mut log = LogFiles::new(dir);
    let mark = log.mark().unwrap().unwrap().end;
    log.list_segments().unwrap();
    let segments: Vec<_> = log.segments.from(0).cloned().collect();
    for pair in segments.windows(2) {
        log.enter(pair[0].number);
        let length = pair[0].length_before(&pair[1], 0).unwrap();
        log.push_bytes(&pair[0], &pair[0].read(0, None).unwrap(), length);
    }
    let last = segments.last().unwrap();
    log.enter(last.number);
    log.push_bytes(last, &last.read(0, Some(mark.at)).unwrap(), mark.at);
    log
}

#[test]
fn log_read_in_parts_is_the_same() {
    let dir = tempfile::tempdir().unwrap();
    fill(dir.path());
    let paths = segments(dir.path());
    let whole: Vec<_> = paths.iter().map(|path| fs::read(path).unwrap()).collect();
    assert!(paths.len() > 3);
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig::with_cases(32));
    let cases = (harm(), any::<bool>(), any::<[prop::sample::Index; 2]>());
    let done = runner.run(&cases, |(harms, is_known, bounds)| {
        let mut log = LogFiles::without_checkpoint(dir.path());
        if !is_known {
            // The damage comes after the log was read.
            log.catch_up().unwrap();
        }
        let mut harmed = BTreeSet::new();
        for (segment, at, harm) in harms {
            let segment = segment.index(paths.len());
            let mut bytes = fs::read(&paths[segment]).unwrap();
            // Most bytes belong to one long event.
            let at = at.index(bytes.len().min(WRITTEN));
            match harm {
                Harm::Flip(bit) if at < bytes.len() => bytes[at] ^= bit,
                Harm::Zeros(count) => {
                    let end = (at + count).min(bytes.len());
                    bytes[at..end].fill(0);
                }
                _ => bytes.truncate(at),
            }
            fs::write(&paths[segment], bytes).unwrap();
            harmed.insert(segment);
        }
        if is_known {
            log.catch_up().unwrap();
            let whole = in_whole_segments(dir.path());
            prop_assert_eq!(log.position, whole.position);
            prop_assert_eq!(log.is_torn, whole.is_torn);
            prop_assert_eq!(log.view.damage(), whole.view.damage());
            for conversation in CONVERSATIONS {
                let [read, whole] = [&log, &whole].map(|log| log.view.log(conversation));
                prop_assert_eq!(format!("{read:?}"), format!("{whole:?}"));
            }
        }
        for conversation in CONVERSATIONS {
            let head = log.head(conversation);
            let [first, last] = bounds.map(|bound| bound.index(head as usize + 1) as u64 + 1);
            for (first, last) in [(1, head), (first, last.min(head))] {
                let apart = one_by_one(&log, conversation, first..=last);
                let together = log.entries(conversation, &(first..=last));
                prop_assert_eq!(shown(together), shown(apart));
            }
        }
        for segment in harmed {
            fs::write(&paths[segment], &whole[segment]).unwrap();
        }
        Ok(())
    });
    done.unwrap();
}

const CONVERSATIONS: [&str; 2] = ["a", "b"];

/// Most events are before this offset in a segment.
const WRITTEN: usize = 2 << 20;
