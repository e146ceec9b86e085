//! The tool `workflow`, with which one call of a model runs many others.
//!
//! This module decides who gets the tool. `silcrow_agent` runs its calls.

use std::sync::Arc;

use silcrow_agent::{Agent, InlineWorkflow};
use silcrow_provider::ScriptedModel;
use silcrow_store::MemoryStore;
use silcrow_tool::Toolbox;

use crate::error::Error;

/// The name of the tool.
pub(crate) const WORKFLOW: &str = "workflow";

/// Adds the tool to others, to be chosen and described. It finds nothing to call, because only the
/// agent of a session has tools.
///
/// # Errors
///
/// Returns an error if there is a tool of this name.
pub fn add_workflow(tools: &mut Toolbox) -> Result<(), Error> {
    let nobody = Agent::new(ScriptedModel::parse("", 1), MemoryStore::new());
    let added = tools.add(InlineWorkflow::new(move || nobody.clone()));
    added.map_err(|twice| Error::failed(twice.to_string()))
}

/// Takes a tool away from others. Returns whether it was among them.
pub(crate) fn take_tool(tools: &Toolbox, taken: &str) -> (Toolbox, bool) {
    let mut others = Toolbox::new();
    for name in tools.names().filter(|name| *name != taken) {
        if let Some(tool) = tools.get(name) {
            others.add(Arc::clone(tool)).expect("a toolbox has each name once");
        }
    }
    (others, tools.get(taken).is_some())
}

/// Returns the agent with the tool, whose actions are approved and run like the agent's. A tool of
/// this name that the agent has already stays.
pub(crate) fn with_workflow(agent: Agent) -> Agent {
    let host = agent.clone();
    agent.clone().with_tool(InlineWorkflow::new(move || host.clone())).unwrap_or(agent)
}
