//! Runs of the processes that share a store: leases, requests and orders between them.
//!
//! ```text
//! a process that dies ─► its runs wait ────────┐
//! answers arrive ─► `request` ─────────────────┼─► `next`, of any process ─► the run continues there
//! a person leaves ─► `offer`, then `request` ──┘
//! a person, anywhere ─► `order` ─► the hold of the run
//! ```

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;

use crate::error::Error;
use crate::search::SearchedUser;

/// The part of a store that concerns the runs of several processes. By default processes do not see
/// each other.
///
/// ```
/// use silcrow_store::{MemoryStore, Store as _};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), silcrow_store::Error> {
/// // A store in memory has one process, so no other one holds or steers a run.
/// let store = MemoryStore::new();
/// let _hold = store.hold("c1").await?;
/// assert!(store.shared_runs().holder("c1").await?.is_none());
/// assert!(!store.shared_runs().order("c1", "stop").await?);
/// # Ok(())
/// # }
/// ```
pub trait SharedRuns: Send + Sync {
    /// Returns the other process that holds a conversation; `None` if it is not held. A process
    /// that has died is returned until its time is up.
    fn holder<'a>(&'a self, conversation: &'a str) -> BoxFuture<'a, Result<Option<Holder>, Error>> {
        let _ = conversation;
        async { Ok(None) }.boxed()
    }

    /// Lists the conversations that other processes hold.
    fn held(&self) -> BoxFuture<'_, Result<Vec<HeldRun>, Error>> {
        async { Ok(Vec::new()) }.boxed()
    }

    /// Sends an order to the run that holds a conversation, in any process, and returns whether
    /// there is one. Its [`Hold`](crate::Hold) gets it within a second. If the owner is gone, the
    /// process that takes the conversation over gets it.
    ///
    /// # Errors
    ///
    /// [`Refused`](crate::ErrorKind::Refused) if the order is longer than [`MAX_ORDER`] bytes, or if
    /// too many wait.
    fn order<'a>(
        &'a self,
        conversation: &'a str,
        order: &'a str,
    ) -> BoxFuture<'a, Result<bool, Error>> {
        let _ = (conversation, order);
        async { Ok(false) }.boxed()
    }

    /// Allows the processes that work at a place to continue the run of a conversation that nobody
    /// holds, once it is [requested](Self::request), and returns whether that is possible. A place
    /// is a folder, for example: [`next`](Self::next) compares the texts. The offer ends when the
    /// conversation is held by a process that does not continue runs of others.
    fn offer<'a>(
        &'a self,
        conversation: &'a str,
        place: &'a str,
    ) -> BoxFuture<'a, Result<bool, Error>> {
        let _ = (conversation, place);
        async { Ok(false) }.boxed()
    }

    /// Ends an [offer](Self::offer), because the run is over. Without one this does nothing.
    fn withdraw<'a>(&'a self, conversation: &'a str) -> BoxFuture<'a, Result<(), Error>> {
        let _ = conversation;
        async { Ok(()) }.boxed()
    }

    /// Lets any process continue the run of a conversation that nobody holds, if the process that
    /// held it last [allows that](Self::next).
    fn request<'a>(&'a self, conversation: &'a str) -> BoxFuture<'a, Result<(), Error>> {
        let _ = conversation;
        async { Ok(()) }.boxed()
    }

    /// Returns whether the run of a conversation waits for a process to continue it, as
    /// [`next`](Self::next) describes, or is being taken by one.
    fn waits<'a>(&'a self, conversation: &'a str) -> BoxFuture<'a, Result<bool, Error>> {
        let _ = conversation;
        async { Ok(false) }.boxed()
    }

    /// Takes a run that waits for a process to continue it: one that was
    /// [requested](Self::request), or whose owner is gone. No other process gets it for a while;
    /// meanwhile the caller has to hold its conversation.
    ///
    /// Only runs of processes that allow it are continued by others, and those that were
    /// [offered](Self::offer) to processes at the `place` of the caller. A run whose owners are
    /// gone three times in a row, the last two without having stored anything, is
    /// [abandoned](WaitingRun::is_abandoned), because it may be the reason.
    fn next<'a>(
        &'a self,
        users: &'a SearchedUser,
        place: &'a str,
    ) -> BoxFuture<'a, Result<Option<WaitingRun>, Error>> {
        let _ = (users, place);
        async { Ok(None) }.boxed()
    }

    /// Returns a secret that the processes of the store share to recognize each other; `None` if
    /// they have none.
    fn secret(&self) -> BoxFuture<'_, Result<Option<Vec<u8>>, Error>> {
        async { Ok(None) }.boxed()
    }

    /// Returns the counters of the store, and the number of runs that wait in it.
    fn counts(&self) -> BoxFuture<'_, Result<Vec<StoreCount>, Error>> {
        async { Ok(Vec::new()) }.boxed()
    }
}

/// The shared runs of a store whose processes do not see each other.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NothingShared;

impl SharedRuns for NothingShared {}

/// A process that holds a conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "every store fills in each field")]
pub struct Holder {
    /// The name of the process, for people.
    pub name: String,
    /// The address at which the process streams the run to others, such as `http://10.0.0.5:4180`.
    /// Anyone who can write to the store can have written it.
    pub address: Option<String>,
}

/// A conversation that a process holds.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "every store fills in each field")]
pub struct HeldRun {
    /// The conversation.
    pub conversation: String,
    /// The user of the conversation.
    pub user: Option<String>,
    /// The process.
    pub holder: Holder,
}

/// A run that waits for a process to continue it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "every store fills in each field")]
pub struct WaitingRun {
    /// The conversation.
    pub conversation: String,
    /// The user of the conversation.
    pub user: Option<String>,
    /// Whether the owner is gone, so that the run was interrupted.
    pub is_orphaned: bool,
    /// Whether it has lost its owners too often. Such a run is not continued: the process that gets
    /// it ends it, and records that in the log.
    pub is_abandoned: bool,
}

/// Something that a store has counted since it was opened, or has now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "every store fills in each field")]
pub struct StoreCount {
    /// The name, in words that are joined by `_`.
    pub name: &'static str,
    /// The description, in one sentence.
    pub about: &'static str,
    /// Whether the number only grows.
    pub is_total: bool,
    /// The number.
    pub value: u64,
}

/// The maximum length of an order, in bytes.
pub const MAX_ORDER: usize = 4 << 10;
