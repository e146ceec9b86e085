//! Checks that a store keeps the promises of [`Store`].
//!
//! ```
//! # tokio::runtime::Builder::new_multi_thread().enable_time().build().unwrap().block_on(async {
//! use silcrow_store::{MemoryStore, conformance};
//!
//! conformance::check(async || MemoryStore::new()).await;
//! # });
//! ```
//!
//! A check returns, or panics with a sentence about the store's actual and required behaviour. The
//! checks need tokio with its clock enabled and not paused; on more than one thread they test more
//! races. A store that does not answer within 30 seconds fails.
//!
//! [`check_costs`] compares a store's work for one conversation among few others and among many.

mod cost;
mod delete;
mod follow;
mod hold;
mod ids;
mod list;
mod log;
mod media;
mod names;
mod race;
mod reopen;
mod sample;
mod times;
mod users;
mod values;
mod whole;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use silcrow_event as event;

pub use self::cost::{StoreCost, check_costs};
use crate::error::{Error, ErrorKind};
use crate::store::Store;

/// Runs every check of [`CHECKS`]. `make` creates an empty store for each.
///
/// # Panics
///
/// Panics if a store fails a check.
pub async fn check<S: Store + 'static>(make: impl AsyncFn() -> S) {
    for check in CHECKS {
        check.run(make().await).await;
    }
}

/// Checks that a store that outlives its process keeps everything. Each call of `open` opens the
/// same store, which is empty at first; the previous one has been dropped by then.
///
/// # Panics
///
/// Panics if something is lost or changed.
pub async fn check_reopening<S: Store + 'static>(open: impl AsyncFn() -> S) {
    reopen::fill(&open().await).await;
    // The second time checks that opening itself loses nothing.
    for _ in 0..2 {
        reopen::compare(&open().await).await;
    }
    reopen::go_on(&open().await).await;
}

/// One requirement that every store meets.
#[derive(Clone, Copy)]
pub struct Check {
    /// The name of the requirement, in a few words.
    pub name: &'static str,
    run: fn(Arc<dyn Store>) -> BoxFuture<'static, ()>,
}

/// The checks that [`check`] runs.
pub const CHECKS: &[Check] = &[
    Check { name: "append compares the head", run: |store| Box::pin(log::compare(store)) },
    Check { name: "append is whole or nothing", run: |store| Box::pin(log::whole(store)) },
    Check { name: "append gives positions", run: |store| Box::pin(log::positions(store)) },
    Check { name: "append of nothing", run: |store| Box::pin(log::nothing(store)) },
    Check { name: "append refuses unstored events", run: |store| Box::pin(log::unstored(store)) },
    Check { name: "read of ranges", run: |store| Box::pin(log::ranges(store)) },
    Check { name: "events come back exactly", run: |store| Box::pin(log::exact(store)) },
    Check { name: "big events", run: |store| Box::pin(log::big(store)) },
    Check { name: "names", run: |store| Box::pin(names::limits(store)) },
    Check { name: "names do not mix", run: |store| Box::pin(names::apart(store)) },
    Check { name: "list", run: |store| Box::pin(list::all(store)) },
    Check { name: "pages of the list", run: |store| Box::pin(list::pages(store)) },
    Check { name: "beginnings of ids", run: |store| Box::pin(ids::beginning(store)) },
    Check { name: "titles", run: |store| Box::pin(list::titles(store)) },
    Check { name: "folders", run: |store| Box::pin(list::folders(store)) },
    Check { name: "users", run: |store| Box::pin(users::apart(store)) },
    Check { name: "search for users", run: |store| Box::pin(users::found(store)) },
    Check { name: "names of users", run: |store| Box::pin(users::limits(store)) },
    Check { name: "times that jump", run: |store| Box::pin(times::jump(store)) },
    Check { name: "times of other programs", run: |store| Box::pin(times::foreign(store)) },
    Check { name: "put compares the version", run: |store| Box::pin(values::compare(store)) },
    Check { name: "values come back exactly", run: |store| Box::pin(values::exact(store)) },
    Check { name: "media have numbers", run: |store| Box::pin(media::numbers(store)) },
    Check { name: "media of forks", run: |store| Box::pin(media::forks(store)) },
    Check { name: "media that nothing names", run: |store| Box::pin(media::sweeps(store)) },
    Check { name: "media in exports", run: |store| Box::pin(media::transfers(store)) },
    Check { name: "follow", run: |store| Box::pin(follow::grows(store)) },
    Check { name: "follow from a position", run: |store| Box::pin(follow::from(store)) },
    Check { name: "appends race", run: |store| Box::pin(race::one(store)) },
    Check { name: "appends side by side", run: |store| Box::pin(race::many(store)) },
    Check { name: "puts race", run: |store| Box::pin(race::values(store)) },
    Check { name: "delete is whole", run: |store| Box::pin(delete::whole(store)) },
    Check {
        name: "a deleted conversation restarts empty",
        run: |store| Box::pin(delete::anew(store)),
    },
    Check { name: "deletions race", run: |store| Box::pin(delete::race(store)) },
    Check { name: "hold", run: |store| Box::pin(hold::again(store)) },
    Check { name: "one run at a time", run: |store| Box::pin(hold::one_at_a_time(store)) },
    Check { name: "keys", run: |store| Box::pin(whole::keys(store)) },
    Check { name: "verify", run: |store| Box::pin(whole::verify(store)) },
    Check { name: "search", run: |store| Box::pin(whole::search(store)) },
    Check { name: "export and import", run: |store| Box::pin(whole::transfer(store)) },
];

impl Check {
    /// Runs the check on an empty store.
    ///
    /// # Panics
    ///
    /// Panics if the store fails the check.
    pub async fn run(&self, store: impl Store + 'static) {
        let done = tokio::time::timeout(PATIENCE, (self.run)(Arc::new(store))).await;
        assert!(done.is_ok(), "{}: the store gave no answer for {PATIENCE:?}", self.name);
    }
}

impl fmt::Debug for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Check").field(&self.name).finish()
    }
}

/// The time limit of a check, which only a store that hangs reaches.
const PATIENCE: Duration = Duration::from_secs(30);

/// Returns the value of a result that must not be an error.
fn must<T>(what: &str, result: Result<T, Error>) -> T {
    match result {
        Ok(value) => value,
        Err(error) => panic!("{what} must succeed, but failed: {error}"),
    }
}

/// Asserts that a result is an error of this kind.
fn must_fail<T: fmt::Debug>(what: &str, kind: ErrorKind, result: Result<T, Error>) {
    match result {
        Ok(value) => panic!("{what} must fail as {kind:?}, but gave {value:?}"),
        Err(error) => {
            assert!(error.kind() == kind, "{what} must fail as {kind:?}, but failed as {error:?}");
            assert!(!error.to_string().is_empty(), "{what} failed without saying why");
        }
    }
}

/// Asserts that the log of `conversation` has exactly these entries.
async fn must_hold(store: &dyn Store, conversation: &str, expected: &[event::Entry]) {
    let head = must("asking for the head", store.head(conversation).await);
    assert_eq!(
        head,
        expected.len() as u64,
        "the head of {conversation:?} is {head}, though {} entries were acknowledged",
        expected.len()
    );
    let entries = must("reading a log", store.read(conversation, 1..=u64::MAX).await);
    must_equal(&entries, expected);
}

/// Asserts that the entries that were read equal the appended ones, byte for byte, each at its
/// position.
fn must_equal(read: &[event::Entry], appended: &[event::Entry]) {
    for (read, appended) in read.iter().zip(appended) {
        let (read_line, line) = (read.to_json(), appended.to_json());
        assert!(
            read_line == line,
            "an entry came back changed:\n  appended {}\n  read     {}",
            cut(&line),
            cut(&read_line)
        );
        assert_eq!(read, appended, "an entry came back with the same JSON and is not the same");
    }
    assert_eq!(
        read.len(),
        appended.len(),
        "{} entries were read, though there are {}",
        read.len(),
        appended.len()
    );
}

/// Appends to the head and returns the entries as a store must return them.
async fn append(
    store: &dyn Store,
    conversation: &str,
    expected: u64,
    batch: Vec<event::Entry>,
) -> Vec<event::Entry> {
    let placed = placed(expected, batch.clone());
    let what = format!("appending {} entries at {expected}", batch.len());
    let head = must(&what, store.append(conversation, expected, batch).await);
    let wanted = expected + placed.len() as u64;
    assert_eq!(head, wanted, "{what} must give the head {wanted}, but gave {head}");
    placed
}

/// Returns the entries of a batch as a store must return them.
fn placed(expected: u64, batch: Vec<event::Entry>) -> Vec<event::Entry> {
    let place = |(entry, seq)| event::Entry { seq: Some(seq), ..entry };
    batch.into_iter().zip(expected + 1..).map(place).collect()
}

/// Returns the part of a line that fits into a message.
fn cut(line: &str) -> String {
    match line.char_indices().nth(400) {
        Some((end, _)) => format!("{}… ({} bytes)", &line[..end], line.len()),
        None => line.to_owned(),
    }
}
