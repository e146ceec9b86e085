//! A record of the calls that start, so that a later process knows which of them may have run.
//!
//! This module knows when a record is written. It does not know where.

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use silcrow_plan::CallUndo;
use silcrow_tool::ToolError;

/// A record of the calls that start. The runner writes to it once a call has its approval and a
/// free place, right before the tool runs.
pub trait Journal: Send + Sync {
    /// Records that the call `id` starts, before its first attempt.
    ///
    /// # Errors
    ///
    /// Returns a failure if this cannot be recorded. The call does not start, and the failure is
    /// its result.
    fn starting<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<(), ToolError>>;

    /// Records that the call `id` of a transaction starts, and how it is taken back (P-32). A later
    /// process that finds both can finish a rollback. By default only the start is recorded.
    ///
    /// # Errors
    ///
    /// Fails as [`starting`](Self::starting) does.
    fn starting_in_transaction<'a>(
        &'a self,
        id: &'a str,
        _undo: &'a CallUndo,
    ) -> BoxFuture<'a, Result<(), ToolError>> {
        self.starting(id)
    }
}

/// A journal that records nothing.
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::exhaustive_structs, reason = "it has no settings")]
pub struct NoJournal;

impl Journal for NoJournal {
    fn starting<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Result<(), ToolError>> {
        async { Ok(()) }.boxed()
    }
}
