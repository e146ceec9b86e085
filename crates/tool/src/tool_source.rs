//! The trait of what has tools that come and go while a run lasts, such as those of servers.

use std::sync::Arc;

use futures_util::future::BoxFuture;

use crate::tool::Tool;

/// Returns tools that may be others from one step of a run to the next.
///
/// A run asks before each request to the model. The request describes the tools that were returned,
/// and its calls run with them, also when others have been there since.
pub trait ToolSource: Send + Sync {
    /// Returns the tools that there are now. The request waits for it, so it takes moments, and not
    /// the time of a server that does not answer. If nothing has changed, the list is the same one,
    /// so that the run need not compare the tools.
    fn tools(&self) -> BoxFuture<'_, Arc<[Arc<dyn Tool>]>>;
}

impl<S: ToolSource + ?Sized> ToolSource for Arc<S> {
    fn tools(&self) -> BoxFuture<'_, Arc<[Arc<dyn Tool>]>> {
        (**self).tools()
    }
}
