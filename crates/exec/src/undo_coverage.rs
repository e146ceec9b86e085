//! Asks the tools of a run whether their calls can be taken back (P-32).

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use silcrow_event::{Call, CallKind};
use silcrow_plan::{UndoCover, UndoCoverage};
use silcrow_tool::{ToolArgs, Toolbox};

/// Says of the calls of a toolbox's tools whether they can be taken back without a `compensate`
/// (P-32). Calls of read-only tools and of models need nothing, and neither do calls that cannot run.
///
/// ```
/// use std::sync::Arc;
///
/// use silcrow_event::Call;
/// use silcrow_exec::{ToolCoverage, Toolbox};
/// use silcrow_plan::{UndoCover, UndoCoverage as _};
///
/// let coverage = ToolCoverage::new(&Arc::new(Toolbox::new()));
/// let call = Call::parse("a", r#"{"name":"unknown"}"#).unwrap();
/// assert_eq!(coverage.cover(&call), UndoCover::Unneeded);
/// ```
#[derive(Clone, Debug)]
pub struct ToolCoverage(Arc<Toolbox>);

impl ToolCoverage {
    /// Creates the coverage of these tools.
    pub fn new(tools: &Arc<Toolbox>) -> Self {
        Self(Arc::clone(tools))
    }
}

impl UndoCoverage for ToolCoverage {
    fn cover(&self, call: &Call) -> UndoCover {
        let kind = call.action().map(|action| action.kind).unwrap_or_default();
        let Some(tool) = self.0.get_as(kind, call.name()) else { return UndoCover::Unneeded };
        // A tool that panics declares nothing.
        let declared = catch_unwind(AssertUnwindSafe(|| {
            let is_read_only = tool.policy().read_only;
            (is_read_only, tool.can_undo(ToolArgs::new(call.args())))
        }));
        match declared {
            Ok((true, _)) => UndoCover::Unneeded,
            _ if kind == CallKind::Llm => UndoCover::Unneeded,
            Ok((_, true)) => UndoCover::ByTool,
            _ => UndoCover::Missing,
        }
    }
}
