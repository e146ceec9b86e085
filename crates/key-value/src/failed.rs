//! The failure of a call whose store failed.

use silcrow_event::error_chain;
use silcrow_store::Error;
use silcrow_tool::ToolError;

pub(crate) fn store_failed(error: &Error) -> ToolError {
    ToolError::new(format!("the store: {}", error_chain(error)))
}
