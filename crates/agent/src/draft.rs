//! Drafts: final responses beside calls that failed (P-35).
//!
//! The model wrote such a response before it could know of the failure. This module decides from the
//! stored events of a turn, so that a run that continues a log decides the same.

use silcrow_event::{Call, CallMode, Event, OnError, ResultOrigin, ResultStatus};
use silcrow_plan::SKIPPED;

/// Returns the first call of a turn of actions beside which a final response is a draft. `own` are
/// the events of the turn.
pub(crate) fn failed_call<'e>(own: impl Iterator<Item = &'e Event> + Clone) -> Option<&'e Call> {
    let calls = own.clone().filter_map(|event| match event {
        Event::Call(call) if call.action().is_some() => Some(call),
        _ => None,
    });
    own.filter_map(failed_id).find_map(|id| {
        let call = calls.clone().find(|call| call.id() == id);
        call.filter(|call| !is_excused(call))
    })
}

/// Returns the id of a call that did not succeed. One that was skipped waits for another one, whose
/// own end counts.
fn failed_id(event: &Event) -> Option<&str> {
    let Event::Result(result) = event else { return None };
    let is_skipped = result.origin() == ResultOrigin::Framework
        && result.payload.as_ref().is_some_and(|payload| payload.summary == SKIPPED);
    let has_failed = result.status() == ResultStatus::Failure && !is_skipped;
    has_failed.then_some(result.id.as_deref()).flatten()
}

/// Returns whether a response stands beside this call although it fails.
fn is_excused(call: &Call) -> bool {
    call.action().is_some_and(|action| {
        action.mode == CallMode::FireAndForget || action.on_error == Some(OnError::Skip)
    })
}
