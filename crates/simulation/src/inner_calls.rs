//! Calls that a call of the text runs, such as the calls of `workflow`: the beginnings and ends of
//! their attempts.
//!
//! The events of such calls have no changes of state, so the stubs note them. Stubs are defined
//! elsewhere.

use std::mem::take;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use silcrow_event::{CallEnd, CallResult, CallTransition, ResultOrigin, ResultStatus};
use tokio::time::Instant;

/// The notes of stubs about calls that another call runs, in chronological order.
#[derive(Clone, Debug, Default)]
pub(crate) struct InnerCalls(Arc<Mutex<Vec<InnerNote>>>);

/// A change in the state of such a call.
#[derive(Debug)]
pub(crate) struct InnerNote {
    pub(crate) at: Instant,
    pub(crate) agent_path: String,
    pub(crate) id: String,
    pub(crate) transition: CallTransition<'static>,
}

impl InnerCalls {
    /// Notes something that happens now to a call at a path of agents, if it is inside another one.
    pub(crate) fn note(
        &self,
        agent_path: &[String],
        id: &str,
        transition: CallTransition<'static>,
    ) {
        if agent_path.is_empty() {
            return;
        }
        let note = InnerNote {
            at: Instant::now(),
            agent_path: agent_path.join("/"),
            id: id.to_owned(),
            transition,
        };
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(note);
    }

    /// Returns the notes since the last call of this.
    pub(crate) fn take(&self) -> Vec<InnerNote> {
        take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl InnerNote {
    /// Returns when it happened, counted from a start.
    pub(crate) fn since(&self, start: Instant) -> Duration {
        self.at.saturating_duration_since(start)
    }
}

/// Returns the end of a call with this result.
pub(crate) fn ended(result: &CallResult) -> Option<CallTransition<'static>> {
    let id = result.id.clone()?;
    let summary = result.payload.as_ref().map_or("", |payload| &*payload.summary);
    let is_ours = result.origin() == ResultOrigin::Framework;
    let end = match (result.status(), summary) {
        (ResultStatus::Success, _) => CallEnd::Ok,
        (ResultStatus::Failure, "skipped") if is_ours => CallEnd::Skipped,
        (ResultStatus::Failure, "cancelled") if is_ours => CallEnd::Cancelled,
        (ResultStatus::Failure, _) => CallEnd::Failed,
    };
    let reason = (end != CallEnd::Ok).then(|| result.failure_text().into());
    Some(CallTransition::Ended { id: id.into(), end, reason })
}
