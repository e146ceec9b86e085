//! A tool that a person has to allow.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use silcrow_tool::{ApprovalNeed, CallContext, Tool, ToolArgs, ToolError, ToolOutput, ToolPolicy};

/// Counts its calls.
#[derive(Clone, Default)]
pub(crate) struct Save(Arc<AtomicUsize>);

impl Save {
    /// Returns the number of its calls.
    pub(crate) fn count(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }
}

impl Tool for Save {
    fn name(&self) -> &str {
        "save"
    }

    fn description(&self) -> &str {
        "Saves."
    }

    fn schema(&self) -> &str {
        "{}"
    }

    fn policy(&self) -> ToolPolicy {
        ToolPolicy { approval: ApprovalNeed::Always, ..ToolPolicy::default() }
    }

    fn call<'a>(
        &'a self,
        _: ToolArgs<'a>,
        _: &'a CallContext,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        self.0.fetch_add(1, Ordering::SeqCst);
        async { Ok(ToolOutput::new("saved", "")) }.boxed()
    }
}
