//! The span of a run in the trace that its log is in.

use silcrow_event::{TraceContext, TraceId, TraceParent};

use super::Log;

impl Log<'_> {
    /// Returns the span of the run, which the next request or call belongs to. `around` is the span
    /// of its caller. A run without a caller has none before its prompt is stored.
    pub(crate) fn trace(&self, around: Option<TraceParent>) -> Option<TraceParent> {
        let (trace, is_recorded) = match around {
            Some(around) => (around.context.trace, around.is_recorded),
            None => (TraceId::of_log(self.conversation, &self.entries)?, true),
        };
        let context = TraceContext::of_run(trace, self.conversation, &self.clock.run_id());
        Some(TraceParent { context, is_recorded })
    }
}
