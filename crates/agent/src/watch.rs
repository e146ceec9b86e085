//! Attaches the observer of an agent to a run.

use silcrow_tool::Scope;

use crate::log::Log;
use crate::observer::{EventWatch, ObservedRun};
use crate::parts::AgentParts;
use crate::request::system;

/// Lets the observer of an agent watch a run. A run inside a call is a part of the run that calls
/// it.
pub(crate) fn begin_watch(parts: &AgentParts, scope: &Scope, log: &Log<'_>) -> Option<EventWatch> {
    let observer = parts.observer.as_ref().filter(|_| scope.agent_path.is_empty())?;
    let system = system(parts, &parts.tools);
    observer.observe(&ObservedRun {
        conversation: scope.conversation_id(),
        log: log.entries(),
        time: log.place(0).timestamp.unwrap_or_default(),
        provider: parts.provider.name(),
        tools: &parts.tools,
        options: &parts.options,
        system: &system.text(),
        caller: scope.trace,
    })
}
