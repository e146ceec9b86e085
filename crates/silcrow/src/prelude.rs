//! The names that most programs need: `use silcrow::prelude::*;`.
//!
//! It does not export `Error`, because programs usually define their own.

pub use silcrow_agent::{Agent, Answer};
pub use silcrow_event::RunEvent;
pub use silcrow_provider::ScriptedModel;
pub use silcrow_store::MemoryStore;
pub use silcrow_tool::{Tool, ToolError, ToolOutput};
#[cfg(feature = "typed")]
pub use silcrow_typed::{tool_fn, typed};
#[cfg(feature = "vendors")]
pub use silcrow_vendors::Chat;
