use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;

use crate::tool::ToolError;

/// Told that a call is about to run: behind its place in the queue and the person's yes, before
/// the tool.
pub trait Journal: Send + Sync {
    /// Notes that the call `id` starts. If that fails, it does not start.
    fn starting<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<(), ToolError>>;
}

/// Notes nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct JournalError;

impl Journal for JournalError {
    fn starting<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Result<(), ToolError>> {
        async { Ok(()) }.boxed()
    }
}
