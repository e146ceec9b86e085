//! The spans and events of `tracing` for people who debug their own tools. None has arguments or
//! results.

use std::time::Duration;

use silcrow_event::ResultStatus;
use silcrow_plan::ReadyCall;
use tracing::{Span, debug, info_span};

/// Returns the span of an attempt at a call.
pub(crate) fn call_span(call: &ReadyCall) -> Span {
    info_span!(
        "execute_tool",
        gen_ai.tool.name = call.name(),
        gen_ai.tool.call.id = call.id(),
        attempt = call.attempt(),
    )
}

/// Tells, within its span, how an attempt has ended.
pub(crate) fn call_ended(status: ResultStatus, bytes: usize, took: Duration) {
    debug!(status = status.as_str(), bytes, took_ms = took.as_millis() as u64, "the call is over");
}
