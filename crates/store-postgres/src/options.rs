//! The settings of a store.

use std::process;
use std::time::Duration;

/// The settings of a [`PostgresStore`](crate::PostgresStore).
#[derive(Clone, Debug)]
#[expect(clippy::exhaustive_structs, reason = "callers name what they change and take the rest")]
pub struct Options {
    /// The maximum number of connections for reads and writes, by default 16. Each store has one
    /// more, which renews leases and receives news.
    pub connections: usize,
    /// The time for which a conversation stays taken after the last sign of life of its owner, by
    /// default 15 seconds. The owner renews its leases after a third of this time, and gives a
    /// lease up after two thirds without a renewal.
    pub lease: Duration,
    /// The name of this process, which other machines show to people, by default its number.
    pub owner: String,
    /// The address at which this process streams its runs to others, such as
    /// `http://10.0.0.5:4180`; none by default.
    pub address: Option<String>,
    /// The time for which the server may be silent while it opens a connection or answers a
    /// statement, by default 10 seconds. After that the connection is abandoned, and the next one
    /// may lead to another server that has taken the place of this one. A change may take twice
    /// that time, and a statement that reads everything, such as a search, a minute.
    pub patience: Duration,
    /// Whether another process may continue the runs of this one if it is gone; not by default. See
    /// [`SharedRuns::next`](silcrow_store::SharedRuns::next).
    pub is_continued: bool,
}

impl Default for Options {
    fn default() -> Self {
        let owner = format!("process {}", process::id());
        let (lease, patience) = (Duration::from_secs(15), Duration::from_secs(10));
        Self { connections: 16, lease, owner, address: None, patience, is_continued: false }
    }
}
