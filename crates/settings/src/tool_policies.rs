//! The policies of a run's tools, for deciding about a question once more.
//!
//! A question has the facts that a person sees. This module makes the request of them that a policy
//! decides about.

use std::collections::BTreeMap;
use std::sync::Arc;

use silcrow_tool::{ApprovalRequest, PermissionRequest, Preview, ToolPolicy, Toolbox};

/// The policies of tools, by name.
#[derive(Clone, Debug)]
pub struct ToolPolicies(Arc<BTreeMap<String, ToolPolicy>>);

impl ToolPolicies {
    /// Returns the policies of the tools of a run.
    pub fn from_tools(tools: &Toolbox) -> Self {
        let policies = tools.iter().map(|tool| (tool.name().to_owned(), tool.policy()));
        Self(Arc::new(policies.collect()))
    }

    /// Calls a function with the request of a question, or returns `None` if the called tool is not
    /// among these. It is no longer known whether the call could be restricted to reading, so the
    /// request says that it cannot.
    pub fn request<T>(
        &self,
        question: ApprovalRequest<'_>,
        decide: impl FnOnce(&PermissionRequest<'_>) -> T,
    ) -> Option<T> {
        let policy = *self.0.get(question.tool)?;
        let mut preview = Preview::new(question.scope).with_needs(question.grants.clone());
        preview.target = question.target.map(str::to_owned);
        preview.risk = question.risk.map(str::to_owned);
        preview.outlives_call = question.outlives_call;
        preview.time_limit = (!question.outlives_call).then_some(question.time_limit);
        let mut request = PermissionRequest::new(question.tool, question.args, policy, &preview);
        (request.kind, request.agent_path) = (question.kind, question.agent_path);
        Some(decide(&request))
    }
}
