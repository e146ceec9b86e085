//! The result of a control block, as a log keeps it.

use silcrow_event::{CallEnd, CallResult, Event};

/// Returns the result that a log keeps of a block that has ended (P-29 to P-32). The outputs of its calls
/// are in their own results, so a loop that succeeded has only the number of its items, and any other block
/// that succeeded has none.
///
/// ```
/// use silcrow_accumulate::kept_block_result;
/// use silcrow_event::{CallEnd, CallResult};
///
/// let outcome = CallResult::success("all", "parallel", "", "[1,2]");
/// assert!(kept_block_result("all", CallEnd::Ok, &outcome).is_none());
/// assert!(kept_block_result("all", CallEnd::Failed, &outcome).is_some());
/// ```
pub fn kept_block_result(id: &str, how: CallEnd, outcome: &CallResult) -> Option<Event> {
    let is_inner = id.contains("].");
    if outcome.tool() == Some(TRANSACTION) {
        // With its end nothing of it has to be taken back any more, so the log has every end.
        return Some(Event::Result(match how {
            CallEnd::Ok => CallResult::success(id, TRANSACTION, "done", ""),
            _ => outcome.clone(),
        }));
    }
    let kept = match how {
        CallEnd::Failed => outcome.clone(),
        CallEnd::Skipped | CallEnd::Cancelled if !is_inner => outcome.clone(),
        CallEnd::Ok if !is_inner => {
            let summary = outcome.payload.as_ref().map(|payload| &*payload.summary);
            let summary = summary.filter(|summary| !summary.is_empty())?.to_owned();
            outcome.clone().with_content(&*summary)
        }
        _ => return None,
    };
    Some(Event::Result(kept))
}

/// The tool of the result of a transaction.
const TRANSACTION: &str = "transaction";
