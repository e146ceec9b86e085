//! The terms on which a call runs: its access, and the doors that open for it.

use silcrow_event::Grants;
use silcrow_tool::{ApprovedScope, CallAccess};

/// The access and the grants of an allowed call.
#[derive(Clone, Debug, Default)]
pub(crate) struct CallTerms {
    pub(crate) access: CallAccess,
    pub(crate) grants: Grants,
}

impl CallTerms {
    /// Returns the terms of a denied call, which hold even if it is allowed later.
    pub(crate) const fn narrowest() -> Self {
        Self { access: CallAccess::ReadOnly, grants: Grants::none() }
    }

    /// Returns a scope with the doors that open for its calls, so that an approval of it covers no
    /// call that opens others.
    pub(crate) fn scoped(&self, scope: &str) -> String {
        ApprovedScope::text_with_doors(scope, &self.grants)
    }
}
