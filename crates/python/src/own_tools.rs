//! The permissions of a run whose program adds tools.
//!
//! A program that gives a function to its agent means it to be called, unless it requires a
//! question. So rules and modes decide about the other tools only.

use std::collections::BTreeSet;
use std::sync::Arc;

use silcrow_event::Grants;
use silcrow_policy::SharedPolicy;
use silcrow_tool::{ApprovedScope, CallAccess, Permission, PermissionRequest, Permissions};

/// Permissions that leave the program's own tools to their own policies.
pub(crate) struct OwnTools {
    pub(crate) names: BTreeSet<String>,
    pub(crate) others: Arc<SharedPolicy>,
}

impl OwnTools {
    fn has(&self, request: &PermissionRequest<'_>) -> bool {
        request.agent_path.is_empty() && self.names.contains(request.tool)
    }
}

impl Permissions for OwnTools {
    fn decide(&self, request: &PermissionRequest<'_>) -> Permission {
        if self.has(request) { request.by_tool() } else { self.others.decide(request) }
    }

    fn access(&self, request: &PermissionRequest<'_>) -> CallAccess {
        if self.has(request) { CallAccess::Usual } else { self.others.access(request) }
    }

    fn grants(&self, request: &PermissionRequest<'_>) -> Grants {
        self.others.grants(request)
    }

    fn wider_scopes(&self, request: &PermissionRequest<'_>) -> Vec<String> {
        if self.has(request) { Vec::new() } else { self.others.wider_scopes(request) }
    }

    fn covers(&self, request: &PermissionRequest<'_>, approved: &[ApprovedScope<'_>]) -> bool {
        !self.has(request) && self.others.covers(request, approved)
    }

    fn decide_at_wall(&self, request: &PermissionRequest<'_>, wanted: &Grants) -> Permission {
        self.others.decide_at_wall(request, wanted)
    }
}
