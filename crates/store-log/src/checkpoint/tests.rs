//! A log adds up to the same with and without a checkpoint, and one that does not fit is ignored.

use std::fs;
use std::path::Path;

use proptest::prelude::*;
use silcrow_event::Event;
use silcrow_store::verify::Place;
use silcrow_store::{ErrorKind, Store};
use tempfile::TempDir;

use crate::files::StoreFiles;
use crate::log::LogFiles;
use crate::names::{CHECKPOINT, NEW_CHECKPOINT};
use crate::options::{Durability, Options};
use crate::store::LogStore;

/// Something that is done to a store.
#[derive(Clone, Debug)]
enum Step {
    Append(u8, u8, usize),
    Put(u8, u8, usize),
    Delete(u8),
    /// A checkpoint is written by another process.
    Checkpoint,
    Compact,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        6 => (0_u8..4, 1_u8..90, 0_usize..3_000).prop_map(|(of, n, len)| Step::Append(of, n, len)),
        3 => (0_u8..4, 0_u8..3, 0_usize..3_000).prop_map(|(of, key, len)| Step::Put(of, key, len)),
        1 => (0_u8..4).prop_map(Step::Delete),
        2 => Just(Step::Checkpoint),
        1 => Just(Step::Compact),
    ];
    prop::collection::vec(step, 1..25)
}

async fn open(dir: &Path) -> LogStore {
    LogStore::open(dir, Options { durability: Durability::Process }).await.unwrap()
}

async fn act(store: &LogStore, step: &Step) {
    match *step {
        Step::Append(of, count, length) => {
            let conversation = format!("c{of}");
            let head = store.head(&conversation).await.unwrap();
            let text = |n: u8| format!("{n} {}", "x".repeat(length));
            let events = (0..count).map(|n| match n % 3 {
                0 => Event::user(text(n)).into(),
                1 => Event::title(text(n)).into(),
                _ => Event::think(text(n)).into(),
            });
            store.append(&conversation, head, events.collect()).await.unwrap();
        }
        Step::Put(of, key, length) => {
            let space = if of == 0 { "relic/notes".to_owned() } else { format!("spent/c{of}") };
            let key = format!("k{key}");
            let version = store.get(&space, &key).await.unwrap().map_or(0, |kept| kept.version);
            store.put(&space, &key, version, vec![b'v'; length]).await.unwrap();
        }
        Step::Delete(of) => {
            let conversation = format!("c{of}");
            let head = store.head(&conversation).await.unwrap();
            store.delete(&conversation, head).await.unwrap();
        }
        Step::Checkpoint => write(store.dir()),
        Step::Compact => drop(store.compact().await.unwrap()),
    }
}

/// Writes a checkpoint, even for a short log, unless another process writes.
fn write(dir: &Path) {
    let mut log = LogFiles::new(dir);
    log.catch_up().unwrap();
    if log.can_have_checkpoint() {
        let mut files = StoreFiles::open(dir).unwrap();
        let size = log.try_write_checkpoint(&mut files).unwrap();
        let is_written =
            size.is_none_or(|size| size == fs::metadata(dir.join(CHECKPOINT)).unwrap().len());
        assert!(is_written, "{size:?}");
    }
}

/// Returns all that a log adds up to, in words.
fn contents(log: &LogFiles) -> String {
    let mut told = format!("{:?} {:?}\n", log.position, log.ends);
    let mut logs: Vec<_> = log.view.logs().collect();
    logs.sort_unstable_by_key(|(id, _)| *id);
    for (id, log) in logs {
        let places: Vec<_> = (1..=log.head()).map(|position| log.place(position)).collect();
        let first = (log.first_prompt, log.first_user, log.last_folder, log.last_title);
        told += &format!("{id} {places:?} {first:?} {:?}\n", log.damaged().collect::<Vec<_>>());
    }
    let segments = log.segments.from(0).map(|segment| log.view.dead(segment.number));
    told += &format!("{:?} {:?}\n", log.view.values(), segments.collect::<Vec<_>>());
    told + &format!("{:#?}", log.summaries(None))
}

/// Reads a log with its checkpoint, and checks that it is the same without.
fn read(dir: &Path) -> LogFiles {
    let (mut with, mut without) = (LogFiles::new(dir), LogFiles::without_checkpoint(dir));
    with.catch_up().unwrap();
    without.catch_up().unwrap();
    assert_eq!(contents(&with), contents(&without));
    assert_eq!(with.end_before, without.end_before);
    with
}

fn uses_checkpoint(dir: &Path) -> bool {
    read(dir).checkpoint.is_some()
}

fn run<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(work)
}

/// Returns a store with a checkpoint and later records.
fn made() -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    run(async {
        let store = open(dir.path()).await;
        let steps = [
            Step::Append(1, 80, 300),
            Step::Put(1, 0, 10),
            Step::Append(2, 70, 20),
            Step::Put(0, 1, 30),
            Step::Checkpoint,
            Step::Append(1, 3, 5),
        ];
        for step in &steps {
            act(&store, step).await;
        }
    });
    assert!(uses_checkpoint(dir.path()));
    dir
}

fn copy(from: &Path) -> TempDir {
    let to = tempfile::tempdir().unwrap();
    fs::remove_dir(to.path()).unwrap();
    let copied = std::process::Command::new("cp").arg("-rp").args([from, to.path()]).status();
    assert!(copied.unwrap().success());
    to
}

#[test]
fn a_log_with_a_checkpoint_is_the_same() {
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig::with_cases(40));
    let done = runner.run(&steps(), |steps| {
        let dir = tempfile::tempdir().unwrap();
        run(async {
            let store = open(dir.path()).await;
            for step in &steps {
                act(&store, step).await;
                let own = store.read(|log| Ok(contents(log))).await.unwrap();
                prop_assert_eq!(own, contents(&read(dir.path())));
            }
            // Records by a writer that has read a checkpoint.
            let store = open(dir.path()).await;
            for step in steps.iter().rev() {
                act(&store, step).await;
                read(dir.path());
            }
            let report = store.verify().await.unwrap();
            prop_assert!(report.damage.is_empty(), "{:?}", report);
            Ok(())
        })
    });
    done.unwrap();
}

#[test]
fn a_checkpoint_with_a_flaw_is_as_none() {
    let dir = made();
    let path = dir.path().join(CHECKPOINT);
    let whole = fs::read(&path).unwrap();
    let bits = (0..whole.len() * 8).step_by(whole.len() / 40 + 1);
    for bit in bits.chain(0..16 * 8) {
        let mut bytes = whole.clone();
        bytes[bit / 8] ^= 1 << (bit % 8);
        fs::write(&path, bytes).unwrap();
        assert!(!uses_checkpoint(dir.path()), "bit {bit}");
    }
    for length in (0..whole.len()).step_by(97) {
        fs::write(&path, &whole[..length]).unwrap();
        assert!(!uses_checkpoint(dir.path()), "{length} bytes");
    }
    fs::write(&path, [&whole[..], b"\0"].concat()).unwrap();
    assert!(!uses_checkpoint(dir.path()));
    // One of a later version, which is whole.
    let later = [b"silckpt2", &whole[8..]].concat();
    fs::write(&path, later).unwrap();
    assert!(!uses_checkpoint(dir.path()));
    fs::write(&path, whole).unwrap();
    assert!(uses_checkpoint(dir.path()));
}

#[test]
fn a_checkpoint_of_another_store_is_as_none() {
    let (dir, other) = (made(), made());
    fs::copy(other.path().join(CHECKPOINT), dir.path().join(CHECKPOINT)).unwrap();
    assert!(!uses_checkpoint(dir.path()));
}

#[test]
fn older_checkpoint_continues_newer_is_ignored() {
    let dir = made();
    let old = copy(dir.path());
    let (grown, length) = (Step::Append(1, 40, 200), Step::Append(2, 5, 8));
    run(async {
        let store = open(dir.path()).await;
        act(&store, &grown).await;
        act(&store, &length).await;
    });
    assert!(uses_checkpoint(dir.path()));
    write(dir.path());
    assert!(uses_checkpoint(dir.path()));
    // The files of the backup come back, and the checkpoint of today stays.
    fs::copy(dir.path().join(CHECKPOINT), old.path().join(CHECKPOINT)).unwrap();
    assert!(!uses_checkpoint(old.path()));
    run(async {
        let store = open(old.path()).await;
        // As many bytes are written again, and other ones.
        let events = (0..40).map(|_| Event::think("y".repeat(202)).into()).collect();
        store.append("c1", 83, events).await.unwrap();
        act(&store, &length).await;
        act(&store, &length).await;
    });
    assert!(!uses_checkpoint(old.path()));
}

#[test]
fn changed_segments_are_read_whole() {
    let dir = made();
    let checkpoint = fs::read(dir.path().join(CHECKPOINT)).unwrap();
    let segment = {
        let mut log = LogFiles::new(dir.path());
        log.catch_up().unwrap();
        log.segments.get(1).unwrap().path.clone()
    };
    let whole = fs::read(&segment).unwrap();
    fs::write(&segment, &whole[..200]).unwrap();
    assert!(!uses_checkpoint(dir.path()));
    fs::remove_file(&segment).unwrap();
    assert!(!uses_checkpoint(dir.path()));
    fs::write(&segment, &whole).unwrap();
    assert!(uses_checkpoint(dir.path()));
    run(async {
        let store = open(dir.path()).await;
        act(&store, &Step::Delete(1)).await;
        act(&store, &Step::Compact).await;
    });
    fs::write(dir.path().join(CHECKPOINT), checkpoint).unwrap();
    assert!(!uses_checkpoint(dir.path()));
}

/// Damage before a checkpoint is reported when it is read, and found by a verification. Damage
/// before the last bytes is detected at once, because the checkpoint does not fit.
#[test]
fn damage_before_a_checkpoint_is_found_on_reading() {
    let dir = made();
    let (path, place) = {
        let mut log = LogFiles::new(dir.path());
        log.catch_up().unwrap();
        let place = log.view.log("c1").unwrap().place(2).unwrap();
        (log.segments.get(1).unwrap().path.clone(), place)
    };
    let whole = fs::read(&path).unwrap();
    let mut bytes = whole.clone();
    bytes[place.range().end as usize - 20] ^= 4;
    fs::write(&path, &bytes).unwrap();
    run(async {
        let store = open(dir.path()).await;
        let error = Store::read(&store, "c1", 1..=3).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Damaged);
        assert!(error.to_string().contains("event 2"), "{error}");
        assert_eq!(Store::read(&store, "c1", 3..=83).await.unwrap().len(), 81);
        assert_eq!(store.head("c1").await.unwrap(), 83);
        let report = store.verify().await.unwrap();
        let places: Vec<_> = report.damage.iter().map(|damage| &damage.place).collect();
        assert!(matches!(places[..], [Place::Events { .. }]), "{report:?}");
    });
    // A log that is known to be damaged gets no checkpoint.
    let mut log = LogFiles::without_checkpoint(dir.path());
    log.catch_up().unwrap();
    assert!(!log.can_have_checkpoint() && !log.is_checkpoint_due());
    fs::write(&path, whole).unwrap();
    let last = { read(dir.path()).view.log("c2").unwrap().place(70).unwrap() };
    let mut bytes = fs::read(&path).unwrap();
    bytes[last.range().end as usize - 2] ^= 1;
    fs::write(&path, bytes).unwrap();
    let log = read(dir.path());
    assert!(log.checkpoint.is_none() && !log.view.damage().is_empty());
}

#[test]
fn partial_checkpoint_is_replaced() {
    let dir = made();
    fs::write(dir.path().join(NEW_CHECKPOINT), b"half of one").unwrap();
    assert!(uses_checkpoint(dir.path()));
    write(dir.path());
    assert!(uses_checkpoint(dir.path()) && !dir.path().join(NEW_CHECKPOINT).exists());
}
