//! A process for which one call of the system is the last one, or fails.

use std::path::Path;
use std::process::Stdio;

use silcrow_event::{Event, error_chain};
use silcrow_store::{Error, ErrorKind, Store as _};
use silcrow_store_log::{LogStore, Options};

use crate::process::{command, rounds, said, say, say_tried, store};
use crate::recorder::Recorder;

/// Before and after every call that opens or changes a file.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_kill_at_any_call_loses_nothing() {
    let tried = at_every_call(&["before", "after"], 25).await;
    assert!(tried.ended >= 6, "{tried:?}");
}

/// Once, as a disk fails that is broken (EIO) or full (ENOSPC).
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn failed_call_is_named_and_loses_nothing() {
    let tried = at_every_call(&["5", "28"], 25).await;
    assert!(tried.failed >= 3 && tried.ended == 0, "{tried:?}");
}

#[derive(Debug, Default)]
struct Tried {
    calls: u64,
    /// Processes that did not come to their end.
    ended: u64,
    /// Processes to which the store returned an error.
    failed: u64,
}

/// Tries each of `fates` at every call of a process, or at one call in this many.
async fn at_every_call(fates: &[&str], usual_step: u64) -> Tried {
    let recorder = Recorder::new();
    let mut tried = Tried::default();
    let step = rounds("SILCROW_CALL_STEP", usual_step);
    for (fate, first) in fates.iter().zip(1..) {
        for call in (first..).step_by(step as usize) {
            let dir = tempfile::tempdir().unwrap();
            // Another process has the store open all the time.
            let beside = open(dir.path()).await.unwrap();
            let mut child = command("calls::work", dir.path());
            recorder.watch(&mut child, dir.path());
            recorder.at_call(&mut child, call, fate);
            let output = child.stderr(Stdio::piped()).output().unwrap();
            let told = String::from_utf8(output.stdout).unwrap();
            let errors = String::from_utf8(output.stderr).unwrap();
            assert!(!errors.contains("panicked"), "{fate} {call}: {errors}");
            let lines: Vec<_> = told.lines().filter_map(said).collect();
            let done = lines.iter().filter(|line| line.starts_with("done ")).count() as u64;
            for error in lines.iter().filter_map(|line| line.strip_prefix("error ")) {
                check_message(error, &format!("{fate} {call}"));
                tried.failed += 1;
            }
            // An open store sees it, and so does one that is opened now.
            for there in [&beside, &open(dir.path()).await.unwrap()] {
                let state = state(there).await.unwrap();
                assert!(
                    (done..=done + 1).contains(&state),
                    "{fate} {call}: {state}, {done} acknowledged"
                );
                assert_eq!(there.verify().await.unwrap().damage, [], "{fate} {call}");
            }
            finish(&beside).await.unwrap_or_else(|error| panic!("{fate} {call}: {error}"));
            assert_eq!(state(&beside).await.unwrap(), STEPS);
            assert_eq!(open(dir.path()).await.unwrap().verify().await.unwrap().damage, []);
            tried.calls += 1;
            tried.ended += u64::from(!output.status.success());
            if recorder.take(dir.path()).is_empty() || lines.contains(&"untouched") {
                break;
            }
        }
    }
    say_tried(&format!("{tried:?}"));
    tried
}

/// Whole sentences, and nothing that only a programmer reads.
pub(crate) fn check_message(error: &str, what: &str) {
    assert!(error.starts_with("Io "), "{what}: {error}");
    assert!(error.contains("; "), "{what}: nothing says what to do: {error}");
    for debug in ["Os {", "kind:", "Err(", "Some(", "unwrap"] {
        assert!(!error.contains(debug), "{what}: {error}");
    }
}

/// The other process. After an error it opens the store again, as a person would.
#[tokio::test]
#[ignore = "run by another test, in a process of its own"]
async fn work() {
    let mut errors = 0;
    loop {
        let tried = match open(&store()).await {
            Ok(store) => finish(&store).await,
            Err(error) => Err(error),
        };
        match tried {
            Ok(()) => break,
            Err(error) => say(&format!("error {:?} {}", error.kind(), error_chain(&error))),
        }
        errors += 1;
        assert!(errors < 3, "one call fails, and not {errors}");
    }
    if errors == 0 {
        say("untouched");
    }
}

async fn open(dir: &Path) -> Result<LogStore, Error> {
    LogStore::open(dir, Options::default()).await
}

/// Takes the steps that were not taken yet.
async fn finish(store: &LogStore) -> Result<(), Error> {
    let mut number = state(store).await?;
    while number < STEPS {
        match step(store, number).await {
            Ok(_) => say(&format!("done {number}")),
            // The process before this one died when it was written, and before readers saw it.
            Err(error) if error.kind() == ErrorKind::Conflict => {
                assert_eq!(state(store).await?, number + 1, "{error}");
            }
            Err(error) => return Err(error),
        }
        number += 1;
    }
    Ok(())
}

/// Of five steps, the fourth changes a value that takes most of a segment, so that segments are
/// begun, and rewritten as soon as most of one no longer counts.
async fn step(store: &LogStore, number: u64) -> Result<u64, Error> {
    let round = number / 5;
    let batch =
        |length: u64| (0..length).map(|_| Event::user(format!("{number}")).into()).collect();
    match number % 5 {
        0 => store.append("c", 4 * round, batch(1)).await,
        1 => store.put("s", "k", round, vec![number as u8; 700]).await,
        2 => store.append("c", 4 * round + 1, batch(3)).await,
        3 => store.put("s", "big", round, vec![number as u8; BIG]).await,
        _ if round.is_multiple_of(2) => store.append("d", 0, batch(2)).await,
        _ => store.delete("d", 2).await.map(|()| 0),
    }
}

/// Returns the number of completed steps; each is there whole or not at all.
async fn state(store: &LogStore) -> Result<u64, Error> {
    let events = store.read("c", 1..=u64::MAX).await?;
    let small = store.get("s", "k").await?.map_or(0, |kept| kept.version);
    let big = store.get("s", "big").await?;
    let big = big.map_or(0, |kept| {
        assert!(kept.value == vec![(5 * kept.version - 2) as u8; BIG]);
        kept.version
    });
    let others = store.head("d").await?;
    let taken = (0..=STEPS).find(|&taken| {
        let count = |step| (taken + 4 - step) / 5;
        let events = events.len() as u64 == count(0) + 3 * count(2);
        let others = others == 2 * (count(4) % 2);
        events && others && (small, big) == (count(1), count(3))
    });
    Ok(taken.unwrap_or_else(|| panic!("{} events, {small}, {big}, {others}", events.len())))
}

const STEPS: u64 = 10;
const BIG: usize = 9 << 18;
