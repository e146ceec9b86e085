//! The risk of a call that a person approved.
//!
//! Tools compare it at the point of use, so a place that became risky since it was approved is not
//! touched.

use silcrow_tool::{CallContext, ToolError};

use crate::messages;

/// The part of a call's risk that a person approved.
#[derive(Clone, Debug)]
pub(crate) enum ApprovedRisk {
    /// Either the operation needs no approval, or a person performs it.
    Any,
    /// This risk, or none.
    Only(Option<String>),
}

impl ApprovedRisk {
    /// Returns the approved risk of a call.
    pub(crate) fn from_context(context: &CallContext) -> Self {
        Self::Only(context.approved().and_then(|preview| preview.risk.clone()))
    }

    /// Returns an error unless the risk at `path` was approved.
    pub(crate) fn check(&self, path: &str, risk: Option<&str>) -> Result<(), ToolError> {
        match (self, risk) {
            (Self::Any, _) | (_, None) => Ok(()),
            (Self::Only(approved), Some(risk)) if approved.as_deref() == Some(risk) => Ok(()),
            (Self::Only(_), Some(risk)) => Err(messages::needs_approval(path, risk)),
        }
    }
}
