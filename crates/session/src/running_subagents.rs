//! The subagents that run, which a person stops one by one.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use silcrow_tool::{CallContext, CancellationToken};

/// The subagents that run in a session.
///
/// A subagent is named by its call: the conversation, the turn and the id of the call.
///
/// ```
/// use silcrow_session::RunningSubagents;
///
/// assert!(!RunningSubagents::default().stop("c1", 1, "a1"), "nothing runs");
/// ```
#[derive(Clone, Debug, Default)]
pub struct RunningSubagents(Arc<Mutex<BTreeMap<CallPlace, CancellationToken>>>);

/// The conversation, the turn and the id of a call.
type CallPlace = (String, u32, String);

/// A subagent that runs, until this is dropped.
pub(crate) struct RunningSubagent {
    place: CallPlace,
    token: CancellationToken,
    all: RunningSubagents,
}

impl RunningSubagents {
    /// Stops a subagent, whose call then fails. Returns whether it ran.
    pub fn stop(&self, conversation: &str, turn: u32, call: &str) -> bool {
        let place = (conversation.to_owned(), turn, call.to_owned());
        let found = self.lock().get(&place).cloned();
        found.inspect(CancellationToken::cancel).is_some()
    }

    /// Returns whether a subagent runs.
    pub fn is_running(&self, conversation: &str, turn: u32, call: &str) -> bool {
        self.lock().contains_key(&(conversation.to_owned(), turn, call.to_owned()))
    }

    /// Records that the subagent of a call begins. It stops with the call, too.
    pub(crate) fn begin(&self, context: &CallContext) -> RunningSubagent {
        let call = context.call_id().to_owned();
        let place = (context.conversation_id().to_owned(), context.turn(), call);
        let token = context.cancellation().child_token();
        self.lock().insert(place.clone(), token.clone());
        RunningSubagent { place, token, all: self.clone() }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<CallPlace, CancellationToken>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl RunningSubagent {
    pub(crate) const fn token(&self) -> &CancellationToken {
        &self.token
    }
}

impl Drop for RunningSubagent {
    fn drop(&mut self) {
        self.all.lock().remove(&self.place);
    }
}
