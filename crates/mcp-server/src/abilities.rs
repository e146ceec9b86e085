//! The abilities of the client of a request.

use rmcp::model::ProtocolVersion;
use rmcp::service::{RequestContext, RoleServer};

/// Returns whether the client shows forms to a person.
pub(crate) fn elicits(context: &RequestContext<RoleServer>) -> bool {
    let can = context.client_capabilities().and_then(|can| can.elicitation);
    // An empty object means forms, as before there were other modes.
    can.is_some_and(|can| can.form.is_some() || can.url.is_none())
}

/// Returns whether the client gets questions as results rather than as requests.
pub(crate) fn is_stateless(context: &RequestContext<RoleServer>) -> bool {
    let version = context.protocol_version();
    version.is_some_and(|version| version.as_str() >= ProtocolVersion::V_2026_07_28.as_str())
}

/// Returns whether the client takes a task in place of a result.
pub(crate) fn takes_tasks(context: &RequestContext<RoleServer>) -> bool {
    is_stateless(context) && context.client_capabilities().is_some_and(|can| can.supports_tasks())
}
