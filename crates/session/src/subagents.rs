//! The tool `agent`: a part of the work in its own conversation, with the rights of the agent that calls.
//!
//! A subagent has no subagents. Its calls, costs and changes count as the run's.

use std::fmt;
use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde::Deserialize;
use silcrow_agent::{Agent, ChildAgent};
use silcrow_event::Json;
use silcrow_provider::ScriptedModel;
use silcrow_store::MemoryStore;
use silcrow_tool::{CallContext, Tool, ToolArgs, ToolError, ToolOutput, ToolPolicy, Toolbox};

use crate::error::Error;
use crate::manifest::NoTools;
use crate::running_subagents::RunningSubagents;

/// The name of the tool.
pub(crate) const AGENT: &str = "agent";

/// Returns the agent with the tool. A tool of this name that the agent has already stays.
pub(crate) fn with_subagents(agent: Agent, running: RunningSubagents) -> Agent {
    let tools = Subagents::new(&agent, running);
    agent.clone().with_tool(tools).unwrap_or(agent)
}

/// Adds the tool to others, to be chosen and described. Its subagents do nothing, because only the agent of a
/// session has tools.
///
/// # Errors
///
/// Returns an error if there is a tool of this name.
pub fn add_subagents(tools: &mut Toolbox) -> Result<(), Error> {
    let nobody = Agent::new(ScriptedModel::parse("", 1), MemoryStore::new());
    let tool = Subagents::new(&nobody, RunningSubagents::default());
    tools.add(tool).map_err(|twice| Error::failed(twice.to_string()))
}

/// The tool, with an agent of each kind.
struct Subagents {
    explore: ChildAgent,
    general: ChildAgent,
    running: RunningSubagents,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SubagentArgs {
    task: String,
    #[serde(default, rename = "as")]
    kind: SubagentKind,
}

/// The rights of a subagent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum SubagentKind {
    /// It reads.
    #[default]
    Explore,
    /// It has the tools of its caller.
    General,
}

impl Subagents {
    fn new(agent: &Agent, running: RunningSubagents) -> Self {
        let host = agent.clone().with_max_steps(MOST_STEPS);
        let mut reading = Toolbox::new();
        for tool in READING.iter().filter_map(|name| host.tools().get(name)) {
            reading.add(Arc::clone(tool)).expect("a toolbox has each name once");
        }
        let explorer =
            host.clone().with_tools(reading).with_tool_source(NoTools).with_instructions(EXPLORE);
        Self {
            explore: ChildAgent::new("explore", ABOUT, move || explorer.clone()),
            general: ChildAgent::new("general", ABOUT, move || host.clone()),
            running,
        }
    }
}

impl Tool for Subagents {
    fn name(&self) -> &str {
        AGENT
    }

    fn description(&self) -> &str {
        ABOUT
    }

    fn schema(&self) -> &str {
        SCHEMA
    }

    fn policy(&self) -> ToolPolicy {
        self.explore.policy()
    }

    fn call<'a>(
        &'a self,
        args: ToolArgs<'a>,
        context: &'a CallContext,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        async move {
            let SubagentArgs { task, kind } = args.read()?;
            let agent = match kind {
                SubagentKind::Explore => &self.explore,
                SubagentKind::General => &self.general,
            };
            let args = format!("{{\"task\":{}}}", Json::string(&task));
            let running = self.running.begin(context);
            let own = context.clone().with_cancellation(running.token().clone());
            let done = agent.call(ToolArgs::new(&args), &own).await;
            match done {
                // It ends with the run for a reason that the run gives.
                Err(_)
                    if own.cancellation().is_cancelled()
                        && !context.cancellation().is_cancelled() =>
                {
                    Err(ToolError::new("the person stopped this subagent; go on without it"))
                }
                done => done,
            }
        }
        .boxed()
    }
}

impl fmt::Debug for Subagents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Subagents").finish_non_exhaustive()
    }
}

/// The tools of a subagent that reads.
const READING: [&str; 5] = ["file_list", "file_read", "file_search", "web_search", "web_scrape"];

/// The number of requests of a subagent.
const MOST_STEPS: u32 = 30;

const ABOUT: &str = "\
Gives a part of the work to a subagent with a context of its own, and returns its answer. Use it where many \
files lead to one conclusion, or for independent parts. The task says all that it must know. `explore`, the \
default, only reads; `general` has your tools.";

const SCHEMA: &str = concat!(
    r#"{"type":"object","properties":{"task":{"type":"string"},"as":{"enum":["explore","general"]}},"#,
    r#""required":["task"],"additionalProperties":false}"#,
);

const EXPLORE: &str = "\
You find something out for another agent, which reads nothing but your last answer.
Read what you need, and change nothing.
Answer with the conclusion first, and with the places that show it as `file:line`.
Say what you could not find.
";

#[cfg(test)]
mod tests {
    use super::*;

    fn agent(script: &str) -> Agent {
        Agent::new(ScriptedModel::parse(script, 1), MemoryStore::new())
    }

    const ANSWER: &str = "§respond: It is in a.rs:3.\n§end\n";

    #[tokio::test]
    async fn a_subagent_answers_and_has_no_subagents() {
        let agent = agent(&[ANSWER, ANSWER].join("%%\n"));
        let agent = with_subagents(agent, RunningSubagents::default());
        let tool = Arc::clone(agent.tools().get(AGENT).unwrap());
        let context = CallContext::new("c1", "a1");
        for args in [r#"{"task":"Where is it?"}"#, r#"{"task":"Where is it?","as":"general"}"#] {
            let output = tool.call(ToolArgs::new(args), &context).await;
            assert_eq!(output.unwrap().content.text(), "It is in a.rs:3.", "{args}");
        }
        let wrong = tool.call(ToolArgs::new(r#"{"task":"x","as":"boss"}"#), &context).await;
        assert!(wrong.unwrap_err().into_words().contains("unknown variant `boss`"));
        assert!(agent.tools().names().count() == 1);
    }

    #[test]
    fn request_size_is_bounded() {
        assert!(ABOUT.len() + SCHEMA.len() < 450, "{}", ABOUT.len() + SCHEMA.len());
    }
}
