//! The access of an allowed call.
//!
//! This module decides by the reason why a call is allowed: a person, a rule, or a command on the
//! list of harmless ones. The list may be wrong, so the last kind has to be enforced.

use silcrow_tool::{CallAccess, Permission};

use crate::call_doors::CallDoors;
use crate::command::CommandVerdict;
use crate::facts::CallFacts;
use crate::mode::PermissionMode;
use crate::policy::Policy;

impl Policy {
    /// Returns the access of a call once it is allowed, by this decision or by a person.
    pub(crate) fn access_of(
        &self,
        call: &CallFacts<'_>,
        doors: &CallDoors,
        permission: &Permission,
    ) -> CallAccess {
        let Some(verdict) = call.verdict() else { return CallAccess::Usual };
        match self.mode() {
            PermissionMode::Plan | PermissionMode::ReadOnly => CallAccess::ReadOnly,
            PermissionMode::Full => CallAccess::WithSecrets,
            PermissionMode::Ask | PermissionMode::Workspace => {
                let is_by_list = *permission == Permission::Allow
                    && *verdict == CommandVerdict::Harmless
                    && call.can_be_read_only()
                    && !self.is_allowed(call, doors);
                if is_by_list { CallAccess::ReadOnly } else { CallAccess::Usual }
            }
        }
    }
}
