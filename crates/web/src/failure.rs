//! Errors of requests as failures of calls.

use silcrow_event::error_chain;
use silcrow_tool::{CallContext, ToolError};

use crate::error::Error;

/// Returns the failure of a call whose request failed.
pub(crate) fn failed(subject: &str, error: &Error) -> ToolError {
    ToolError::new(format!("{subject}: {}", error_chain(error)))
}

/// Fails if a call has a risk that was not approved.
pub(crate) fn check_risk(risk: Option<&str>, context: &CallContext) -> Result<(), ToolError> {
    let approved = context.approved().and_then(|preview| preview.risk.as_deref());
    match risk.filter(|risk| approved != Some(risk)) {
        Some(risk) => Err(ToolError::new(format!("{risk}, so a person must approve this call"))),
        None => Ok(()),
    }
}
