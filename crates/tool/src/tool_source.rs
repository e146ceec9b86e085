//! The trait of a source of tools that may change during a run, such as servers' tools.

use std::sync::Arc;

use futures_util::future::BoxFuture;

use crate::tool::Tool;

/// Supplies tools that may change from one step of a run to the next.
///
/// A run asks before each request to the model. The request describes the tools that were returned,
/// and its calls run with them, even if the source has changed since.
///
/// ```
/// use std::sync::{Arc, Mutex};
///
/// use futures_util::FutureExt as _;
/// use futures_util::future::{BoxFuture, ready};
/// use silcrow_tool::{Tool, ToolSource};
///
/// /// The tools of a plugin, which a person may unload while a run works.
/// struct Plugin(Mutex<Arc<[Arc<dyn Tool>]>>);
///
/// impl ToolSource for Plugin {
///     fn tools(&self) -> BoxFuture<'_, Arc<[Arc<dyn Tool>]>> {
///         ready(self.0.lock().unwrap().clone()).boxed()
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let plugin = Plugin(Mutex::new(Arc::from([])));
/// let (before, now) = (plugin.tools().await, plugin.tools().await);
/// assert!(Arc::ptr_eq(&before, &now), "nothing changed, so it is the same list");
/// # }
/// ```
pub trait ToolSource: Send + Sync {
    /// Returns the current tools. The request to the model waits for this, so an implementation does
    /// not wait for a server that is slow to answer. If nothing has changed, it returns the same
    /// `Arc`, so that the run need not compare the tools.
    fn tools(&self) -> BoxFuture<'_, Arc<[Arc<dyn Tool>]>>;
}

impl<S: ToolSource + ?Sized> ToolSource for Arc<S> {
    fn tools(&self) -> BoxFuture<'_, Arc<[Arc<dyn Tool>]>> {
        (**self).tools()
    }
}
