//! The end of a run according to its log.

use silcrow_event::{Entry, ErrorEvent, Event};
use silcrow_front::RunEnd;

/// Returns the outcome of a run according to its log.
pub(crate) fn stored_end(entries: &[Entry]) -> RunEnd {
    let has = |kind: fn(&Event) -> bool| entries.iter().any(|entry| kind(&entry.event));
    if entries.last().is_some_and(is_parked) {
        RunEnd::Waiting
    } else if let Some(failure) = entries.iter().rev().find_map(failure) {
        RunEnd::Failed { code: failure.code.clone(), message: failure.content.clone() }
    } else if has(|event| matches!(event, Event::Cancelled { .. })) {
        RunEnd::Stopped
    } else if has(|event| matches!(event, Event::Respond(said) if said.malformed.is_none())) {
        RunEnd::Answered
    } else {
        let message = "the run ended without an answer; its own stream said why".to_owned();
        RunEnd::Failed { code: "ended".to_owned(), message }
    }
}

/// Returns why the last run of a log failed, if it did.
pub(crate) fn last_failure(log: &[Entry]) -> Option<RunEnd> {
    let is_beside = |entry: &Entry| entry.event.is_beside_runs();
    let last = failure(log.iter().rev().find(|entry| !is_beside(entry))?)?;
    Some(RunEnd::Failed { code: last.code.clone(), message: last.content.clone() })
}

/// Returns why a run failed, if an entry says it.
const fn failure(entry: &Entry) -> Option<&ErrorEvent> {
    match &entry.event {
        Event::Failed(failure) => Some(failure),
        _ => None,
    }
}

/// Returns whether a run waits for an answer since an entry.
pub(crate) const fn is_parked(entry: &Entry) -> bool {
    matches!(entry.event, Event::Parked(_))
}
