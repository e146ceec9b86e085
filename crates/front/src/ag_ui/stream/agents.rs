//! The agents and workflows that calls run, as this run's stream shows them.

use std::collections::HashMap;

use super::super::event_writer::{EventWriter, event};
use super::super::interrupt::OpenInterrupts;
use crate::encoder::RunEnd;
use crate::json_object::JsonObject;
use crate::transcript::CalledAgent;

/// The agents that have begun in the stream, by their ids. An agent begins there with the first
/// thing that it does, also when it has begun in an earlier run.
#[derive(Debug, Default)]
pub(super) struct AgentSegments(HashMap<String, AgentSegment>);

#[derive(Debug, Default)]
struct AgentSegment {
    /// The reason why the agent was stopped, if it was.
    stopped: Option<String>,
    /// A client accepts no second beginning.
    is_over: bool,
}

impl AgentSegments {
    /// Begins an agent, unless it has begun.
    pub(super) fn start(&mut self, agent: &CalledAgent, to: &mut EventWriter<'_>) {
        if self.0.contains_key(&agent.id) {
            return;
        }
        let mut started = event("SUBAGENT_STARTED").text("name", &agent.name);
        if let Some(parent) = agent.parent.as_ref().filter(|parent| self.0.contains_key(*parent)) {
            started = started.text("parentSubagentRunId", parent);
        }
        if let Some(call) = &agent.call {
            started = started.text("parentToolCallId", call);
        }
        to.write(Some(agent), started);
        self.0.insert(agent.id.clone(), AgentSegment::default());
    }

    /// Notes that an agent was stopped.
    pub(super) fn stop(&mut self, agent: Option<&CalledAgent>, reason: &str) {
        if let Some(segment) = agent.and_then(|agent| self.0.get_mut(&agent.id)) {
            segment.stopped = Some(reason.to_owned());
        }
    }

    /// Ends an agent, which may be because the whole run ends.
    pub(super) fn finish(
        &mut self,
        agent: &CalledAgent,
        end: Option<&RunEnd>,
        interrupts: &OpenInterrupts,
        to: &mut EventWriter<'_>,
    ) {
        let Some(segment) = self.0.get_mut(&agent.id).filter(|segment| !segment.is_over) else {
            return;
        };
        segment.is_over = true;
        let failed = |code, why| event("SUBAGENT_ERROR").text("message", why).text("code", code);
        let finished = match (&segment.stopped, end) {
            (Some(reason), _) => failed("cancelled", reason),
            (None, Some(RunEnd::Stopped)) => failed("cancelled", "The run was stopped."),
            (None, Some(RunEnd::Failed { code, message })) => failed(code, message),
            (None, Some(RunEnd::Waiting)) => {
                let ids = interrupts.ids_of(agent);
                let outcome = JsonObject::new().text("type", "suspended").raw("interruptIds", ids);
                event("SUBAGENT_FINISHED").raw("outcome", outcome.finish())
            }
            (None, None | Some(RunEnd::Answered)) => event("SUBAGENT_FINISHED"),
        };
        to.write(Some(agent), finished);
    }
}
