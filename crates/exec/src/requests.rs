//! The description of a call for permissions and an approver, and the way in which an approver is
//! asked.

use std::panic::AssertUnwindSafe;

use futures_util::FutureExt as _;
use silcrow_plan::ReadyCall;
use silcrow_tool::{
    ApprovalDecision, ApprovalRequest, Approver, PermissionRequest, Preview, Scope, ToolPolicy,
};

use crate::matched_tool::panic_message;

/// Returns the call as permissions decide about it: with the name of its tool in rules.
pub(crate) fn permission_request<'a>(
    ready: &'a ReadyCall,
    rule_name: &'a str,
    policy: ToolPolicy,
    preview: &'a Preview,
    scope: &'a Scope,
) -> PermissionRequest<'a> {
    let mut request = PermissionRequest::new(rule_name, ready.args(), policy, preview);
    request.kind = ready.kind();
    request.agent_path = &scope.agent_path;
    request
}

/// Returns a question about an attempt at a call that says which call it is, and nothing else yet.
pub(crate) fn approval_request<'a>(ready: &'a ReadyCall, scope: &'a Scope) -> ApprovalRequest<'a> {
    let mut request = ApprovalRequest::new(ready.id(), ready.name(), ready.args());
    request.conversation = scope.conversation_id();
    request.turn = scope.turn;
    request.agent_path = &scope.agent_path;
    request.kind = ready.kind();
    request.attempt = ready.attempt();
    request.mode = ready.mode();
    request
}

/// Asks an approver. A panic is a denial.
pub(crate) async fn ask(approver: &dyn Approver, request: ApprovalRequest<'_>) -> ApprovalDecision {
    let asked = AssertUnwindSafe(async { approver.ask(request).await });
    asked.catch_unwind().await.unwrap_or_else(|payload| {
        let said = panic_message(&*payload);
        ApprovalDecision::Deny(format!("nobody could be asked: {said}"))
    })
}
