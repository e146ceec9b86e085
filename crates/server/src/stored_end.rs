//! The end of a run, as far as its log says it.

use silcrow_event::{Entry, Event};
use silcrow_front::RunEnd;

/// Returns how a run has ended, as far as its log says it.
pub(crate) fn stored_end(entries: &[Entry]) -> RunEnd {
    let has = |kind: fn(&Event) -> bool| entries.iter().any(|entry| kind(&entry.event));
    if entries.last().is_some_and(is_parked) {
        RunEnd::Waiting
    } else if has(|event| matches!(event, Event::Cancelled { .. })) {
        RunEnd::Stopped
    } else if has(|event| matches!(event, Event::Respond(said) if said.malformed.is_none())) {
        RunEnd::Answered
    } else {
        let message = "the run ended without an answer; its own stream said why".to_owned();
        RunEnd::Failed { code: "ended".to_owned(), message }
    }
}

/// Returns whether a run waits for an answer since an entry.
pub(crate) const fn is_parked(entry: &Entry) -> bool {
    matches!(entry.event, Event::Parked(_))
}
