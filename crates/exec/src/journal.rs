//! A record of the calls that start, from which a later process learns which of them may have run.
//!
//! This module decides when a record is written.

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use silcrow_plan::CallUndo;
use silcrow_tool::ToolError;

/// A record of the calls that start. The runner writes to it once a call has its approval and a
/// free place, right before the tool runs.
///
/// ```
/// use std::sync::Mutex;
///
/// use futures_util::FutureExt as _;
/// use futures_util::future::{BoxFuture, ready};
/// use silcrow_exec::Journal;
/// use silcrow_tool::ToolError;
///
/// /// Records nothing more once it is closed.
/// #[derive(Default)]
/// struct Started {
///     ids: Mutex<Vec<String>>,
///     is_closed: bool,
/// }
///
/// impl Journal for Started {
///     fn starting<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<(), ToolError>> {
///         if self.is_closed {
///             return ready(Err(ToolError::new("the run is being stopped"))).boxed();
///         }
///         self.ids.lock().unwrap().push(id.to_owned());
///         ready(Ok(())).boxed()
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let started = Started::default();
/// assert!(started.starting("a1").await.is_ok());
/// assert_eq!(*started.ids.lock().unwrap(), ["a1"]);
/// // A call whose start is not recorded does not start.
/// assert!(Started { is_closed: true, ..started }.starting("a2").await.is_err());
/// # }
/// ```
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
