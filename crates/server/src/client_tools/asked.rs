//! The approver of calls of a client's tools, which asks the client instead of the agent's own
//! approver. A call that permissions deny stays denied.

use std::sync::Arc;

use futures_util::future::{BoxFuture, FutureExt as _};
use silcrow_event::Grants;
use silcrow_front::ClientToolNames;
use silcrow_tool::{
    ApprovalDecision, ApprovalRequest, ApprovedScope, Approver, CallAccess, Permission,
    PermissionRequest, Permissions,
};

/// Leaves the questions about calls of the client's tools open, and passes on all others.
pub(super) struct AskedOfClient {
    approver: Arc<dyn Approver>,
    names: ClientToolNames,
}

impl AskedOfClient {
    pub(super) fn new(approver: Arc<dyn Approver>, names: ClientToolNames) -> Self {
        Self { approver, names }
    }

    /// Returns whether a call is of a tool of the client. Agents in calls have none of them.
    fn is_of_client(&self, tool: &str, agent_path: &[String]) -> bool {
        agent_path.is_empty() && self.names.has(tool)
    }
}

impl Approver for AskedOfClient {
    fn ask<'a>(&'a self, request: ApprovalRequest<'a>) -> BoxFuture<'a, ApprovalDecision> {
        if self.is_of_client(request.tool, request.agent_path) {
            return async { ApprovalDecision::Park }.boxed();
        }
        self.approver.ask(request)
    }

    fn is_asked_at_once(&self) -> bool {
        self.approver.is_asked_at_once()
    }

    fn takes_items(&self) -> bool {
        self.approver.takes_items()
    }

    fn permissions(&self) -> Option<&dyn Permissions> {
        // Without permissions the policy of each tool decides, and these tools' policy is to ask.
        self.approver.permissions().map(|_| self as &dyn Permissions)
    }
}

impl AskedOfClient {
    fn of_others<T>(
        &self,
        request: &PermissionRequest<'_>,
        decide: impl FnOnce(&dyn Permissions) -> T,
    ) -> Option<T> {
        let is_of_client = self.is_of_client(request.tool, request.agent_path);
        self.approver.permissions().filter(|_| !is_of_client).map(decide)
    }
}

impl Permissions for AskedOfClient {
    fn decide(&self, request: &PermissionRequest<'_>) -> Permission {
        let decided = match self.approver.permissions() {
            Some(permissions) => permissions.decide(request),
            None => request.by_tool(),
        };
        match decided {
            Permission::Deny(why) => Permission::Deny(why),
            _ if self.is_of_client(request.tool, request.agent_path) => {
                Permission::Ask("the program that has the tool runs it".to_owned())
            }
            decided => decided,
        }
    }

    fn access(&self, request: &PermissionRequest<'_>) -> CallAccess {
        self.of_others(request, |others| others.access(request)).unwrap_or_default()
    }

    fn grants(&self, request: &PermissionRequest<'_>) -> Grants {
        let grants = self.of_others(request, |others| others.grants(request));
        grants.unwrap_or_else(|| request.preview.needs.clone())
    }

    fn wider_scopes(&self, request: &PermissionRequest<'_>) -> Vec<String> {
        self.of_others(request, |others| others.wider_scopes(request)).unwrap_or_default()
    }

    fn covers(&self, request: &PermissionRequest<'_>, approved: &[ApprovedScope<'_>]) -> bool {
        self.of_others(request, |others| others.covers(request, approved)).unwrap_or_default()
    }

    fn decide_at_wall(&self, request: &PermissionRequest<'_>, wanted: &Grants) -> Permission {
        let decided = self.of_others(request, |others| others.decide_at_wall(request, wanted));
        decided.unwrap_or_else(|| Permission::Ask(format!("the call asks for {wanted}")))
    }
}
