//! The line that shows the result of a call.

use silcrow_event::{CallResult, ResultStatus as Ended};
use silcrow_term::fit::shortened;

/// Returns the tool and its summary, or the reason why it failed, on one line.
pub(super) fn result_line(outcome: &CallResult) -> String {
    let text = match outcome.status() {
        Ended::Failure => outcome.failure_text(),
        Ended::Success => {
            outcome.payload.as_ref().map_or_else(String::new, |payload| payload.summary.clone())
        }
    };
    shortened(&format!("{} {text}", outcome.tool().unwrap_or("call")), 299)
}
