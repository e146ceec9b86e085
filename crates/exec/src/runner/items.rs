//! Questions about several calls: those for the items of a loop.

use silcrow_plan as plan;

use super::Runner;
use crate::approval_queue::DecidedCall;
use crate::call::{CheckedCall, Clearance};
use crate::matched_tool::match_tool;
use crate::update::CallUpdate;

impl Runner {
    /// Takes a call that a loop will make for another item, so that a question can be about it, too. It
    /// does not run before it is [started](Self::start).
    pub(crate) fn foresee(&mut self, mut ready: plan::ReadyCall) {
        // A call that is replayed may have a recorded result.
        if self.recorded.is_some() {
            return;
        }
        // A call that cannot run is reported when it comes.
        let Ok(matched) = match_tool(&mut ready, &self.toolbox, &*self.validator) else { return };
        let has_permissions = self.approvals.has_permissions();
        let call = CheckedCall { ready, matched };
        if let Clearance::Needed(call) = call.without_approval(None, has_permissions) {
            let context = self.preview_context(call.ready.id());
            self.approvals.foresee(call, context, self.settings.max_timeout);
        }
    }

    /// Takes an answer that is reported now.
    pub(super) fn take_answer(&mut self, answered: DecidedCall) -> CallUpdate {
        match answered.outcome {
            Some(Ok(call)) => self.waiting.push_back(call),
            Some(Err((ready, refusal))) => self.refuse(&ready, refusal),
            None => {}
        }
        self.waiting.extend(self.approvals.freed());
        answered.update
    }
}

impl DecidedCall {
    /// Returns whether it is about the call with this id.
    pub(super) fn is_about(&self, id: &str) -> bool {
        matches!(&self.update, CallUpdate::Answered { id: own, .. } if own == id)
    }
}
