//! The one yes that lets commands leave the sandbox in the mode `full`.
//!
//! The mode `full` opens every door except the last one, which a person is asked about once. Their
//! yes is not a rule: it is kept nowhere, covers no other mode, and is forgotten when the mode
//! changes. This module checks which question a yes answers. The question has to say how long the
//! yes holds.

use silcrow_event::Grant;
use silcrow_tool::PermissionRequest;

use crate::mode::{Confinement, PermissionMode};
use crate::policy::Policy;

/// A question about leaving the sandbox that was asked in the mode `full`. A yes to it may be remembered
/// with [`SharedPolicy::let_out`](crate::SharedPolicy::let_out) while that mode lasts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeaveQuestion {
    /// The number of changes of the mode before the question.
    pub(crate) mode_changes: u64,
}

impl Policy {
    /// Returns whether a command that wants to leave the sandbox is asked about in the mode `full`.
    pub(crate) fn asks_about_leaving(&self) -> bool {
        self.mode() == PermissionMode::Full
            && self.confinement() != Confinement::None
            && !self.lets_out()
    }

    /// Returns whether a call is asked about for one reason alone: it wants to leave the sandbox, and the
    /// mode is `full`.
    pub(crate) fn asks_only_about_leaving(&self, request: &PermissionRequest<'_>) -> bool {
        let call = self.facts(request);
        let doors = self.doors_of(&call);
        self.asks_about_leaving()
            && doors.needed().covers(&Grant::Outside)
            && self.restriction(&call, &doors).is_none()
            && self.question_about(&doors, &self.rule_grants(&call)).is_some()
    }
}
