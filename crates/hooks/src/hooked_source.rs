//! Tools that come and go, such as the tools of MCP servers, with hooks.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use silcrow_tool::{Tool, ToolSource};

use crate::hooked_tool::HookedTool;
use crate::hooks::Hooks;

/// A source of tools, each with hooks before and after its calls.
///
/// ```
/// use std::sync::Arc;
///
/// use futures_util::FutureExt as _;
/// use futures_util::future::{BoxFuture, ready};
/// use silcrow_hooks::{HookedSource, Hooks};
/// use silcrow_tool::{Tool, ToolSource};
///
/// /// Has no tools at the moment.
/// struct Empty(Arc<[Arc<dyn Tool>]>);
///
/// impl ToolSource for Empty {
///     fn tools(&self) -> BoxFuture<'_, Arc<[Arc<dyn Tool>]>> {
///         ready(self.0.clone()).boxed()
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let source = HookedSource::new(Empty(Arc::from([])), &Hooks::new([], "."));
/// // As long as the source returns the same list, so does this.
/// assert!(Arc::ptr_eq(&source.tools().await, &source.tools().await));
/// # }
/// ```
pub struct HookedSource<S> {
    source: S,
    hooks: Hooks,
    /// The list that was returned last, and the list from which it was made.
    last: Mutex<Option<(HookedTools, HookedTools)>>,
}

type HookedTools = Arc<[Arc<dyn Tool>]>;

impl<S: ToolSource> HookedSource<S> {
    /// Adds hooks to the tools of a source.
    pub fn new(source: S, hooks: &Hooks) -> Self {
        Self { source, hooks: hooks.clone(), last: Mutex::default() }
    }
}

impl<S: ToolSource> ToolSource for HookedSource<S> {
    fn tools(&self) -> BoxFuture<'_, HookedTools> {
        async move {
            let found = self.source.tools().await;
            let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some((_, hooked)) = last.as_ref().filter(|(of, _)| Arc::ptr_eq(of, &found)) {
                return Arc::clone(hooked);
            }
            let hook = |tool: &Arc<dyn Tool>| {
                Arc::new(HookedTool::new(Arc::clone(tool), &self.hooks)) as Arc<dyn Tool>
            };
            let hooked: HookedTools = found.iter().map(hook).collect();
            *last = Some((found, Arc::clone(&hooked)));
            hooked
        }
        .boxed()
    }
}

impl<S> fmt::Debug for HookedSource<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HookedSource").field("hooks", &self.hooks).finish_non_exhaustive()
    }
}
