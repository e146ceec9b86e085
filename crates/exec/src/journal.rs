//! A record of the calls that start.

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;

use crate::tool::ToolError;

/// Notes that a call is about to run: after its place in the queue and its approval, before the
/// tool.
pub trait Journal: Send + Sync {
    /// Notes that the call `id` starts. If that fails, it does not start.
    fn starting<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<(), ToolError>>;
}

/// A journal that notes nothing.
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::exhaustive_structs, reason = "it has no settings")]
pub struct NoJournal;

impl Journal for NoJournal {
    fn starting<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Result<(), ToolError>> {
        async { Ok(()) }.boxed()
    }
}
