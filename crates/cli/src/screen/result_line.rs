//! The line that shows the result of a call.

use silcrow_event::{CallResult, ResultStatus as Ended};

use crate::columns::shortened;

/// Returns the tool and its summary, or the reason why it failed, on one line.
pub(super) fn result_line(outcome: &CallResult) -> String {
    let summary = outcome.payload.as_ref().map_or("", |payload| &*payload.summary);
    let content = outcome.content.text();
    let text = match outcome.status() {
        // The summary of a failure is often the beginning of its content.
        Ended::Failure if content.starts_with(summary) => content.into_owned(),
        Ended::Failure => format!("{summary}: {content}"),
        Ended::Success => summary.to_owned(),
    };
    shortened(&format!("{} {text}", outcome.tool().unwrap_or("call")), 299)
}
