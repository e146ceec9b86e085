//! A workflow that a call itself declares, so that a model can choose, repeat and group calls in any
//! dialect.
//!
//! The submodule `written` reads the actions.

use std::fmt;
use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use silcrow_event::Call;
use silcrow_plan::ControlStep;
use silcrow_tool::{CallContext, Tool, ToolArgs, ToolError, ToolOutput, ToolPolicy};

use super::{TIMEOUT, Workflow, WorkflowHost};
use crate::agent::Agent;

mod written;

/// The tool `workflow`, whose calls contain the actions to run: `workflow {actions, output}`.
///
/// With it one call does work that would take a request for each result: it repeats actions for
/// each item of an output, chooses by one, and passes outputs on without the model reading them
/// (P-29 to P-32). An entry of `actions` is a call or a block:
///
/// | entry | meaning |
/// |---|---|
/// | `{"id", "name", "parameters"}` | a call; also `type`, `mode`, `depends_on`, `output_key`, `timeout`, `retry`, `on_error` (P-20) and `show` |
/// | `{"id", "foreach": EXPR, "as": "x", "actions": […]}` | the actions once for each item of a list; also `index`, `max_parallel`, `limit`, and `on_error` as `fail` (the default) or `skip` |
/// | `{"id", "if": EXPR, "then": […], "else": […]}` | one of two lists of actions |
/// | `{"id", "parallel": "all", "actions": […]}` | all at once, until `all`, `any`, `race` or `settled`; also `max` and `timeout` in seconds |
/// | `{"id", "transaction": […]}` | all or nothing: if one fails, the changes of the others are taken back; also `timeout`, and `compensate` in a call (P-32) |
/// | `{"id", "value": EXPR}` | a name for a value |
///
/// [`silcrow_expression`](https://docs.rs/silcrow-expression) evaluates the expressions. The
/// actions run like the actions of a [`Workflow`]: with the tools, the approver and the bounds of
/// an agent, and in a conversation that is stored. The call's output is the output of the entry
/// that `output` names, or else of the last entry; calls with `"show": true` are shown beside it.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// use silcrow_agent::{Agent, InlineWorkflow, Llm};
/// use silcrow_event::CallKind;
/// use silcrow_provider::ScriptedModel;
/// use silcrow_store::MemoryStore;
/// use silcrow_tool::{CallContext, Tool as _, ToolArgs, Toolbox};
///
/// let mut tools = Toolbox::new();
/// let script = ScriptedModel::parse("short\n%%\nshort", 1);
/// let brief = Llm::new("brief", "Makes it short.", script);
/// tools.add_as(CallKind::Llm, brief).unwrap();
/// let agent = Agent::new(ScriptedModel::parse("", 1), MemoryStore::new()).with_tools(tools);
/// let workflow = InlineWorkflow::new(move || agent.clone());
///
/// let args = r#"{"actions":[{"id":"texts","foreach":"['one','two']","as":"t","actions":[
///     {"type":"llm","name":"brief","parameters":{"text":"$t"}}]}]}"#;
/// let context = CallContext::new("c", "w");
/// let output = workflow.call(ToolArgs::new(args), &context).await.unwrap();
/// assert_eq!(output.content, r#"["short","short"]"#);
/// # });
/// ```
#[derive(Clone)]
pub struct InlineWorkflow {
    agent: WorkflowHost,
}

impl InlineWorkflow {
    /// Creates the tool. `agent` creates, for each call, the agent whose tools the actions use.
    pub fn new(agent: impl Fn() -> Agent + Send + Sync + 'static) -> Self {
        Self { agent: Arc::new(agent) }
    }

    /// Returns the calls in the arguments of a call, those in blocks too, in the order of the text.
    /// The list is empty if the arguments cannot be read.
    ///
    /// ```
    /// use silcrow_agent::InlineWorkflow;
    ///
    /// let args = r#"{"actions":[{"if":"true","then":[{"name":"build"}],"else":[{"name":"tell"}]}]}"#;
    /// let calls = InlineWorkflow::calls(args);
    /// assert_eq!(Vec::from_iter(calls.iter().map(|call| call.name())), ["build", "tell"]);
    /// ```
    pub fn calls(args: &str) -> Vec<Call> {
        let steps = written::read(args).map(|(steps, _)| steps).unwrap_or_default();
        steps.iter().flat_map(ControlStep::calls).cloned().collect()
    }

    /// Returns the workflow of a call with these arguments.
    fn read(&self, args: &str) -> Result<Workflow, ToolError> {
        let (steps, output) = written::read(args).map_err(ToolError::new)?;
        let agent = Arc::clone(&self.agent);
        let workflow = Workflow::new(NAME, DESCRIPTION, steps, move || agent());
        let last = workflow.steps.last().map(|step| step.id().to_owned());
        match output.or(last) {
            Some(output) => Ok(workflow.with_output(output)),
            None => Err(ToolError::new("`actions` is empty: write what is to run")),
        }
    }
}

impl Tool for InlineWorkflow {
    fn name(&self) -> &str {
        NAME
    }

    fn description(&self) -> &str {
        DESCRIPTION
    }

    fn schema(&self) -> &str {
        SCHEMA
    }

    fn policy(&self) -> ToolPolicy {
        ToolPolicy { timeout: TIMEOUT, ..ToolPolicy::default() }
    }

    fn call<'a>(
        &'a self,
        args: ToolArgs<'a>,
        context: &'a CallContext,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        async move { self.read(args.as_str())?.call(ToolArgs::new("{}"), context).await }.boxed()
    }

    fn recover<'a>(
        &'a self,
        context: &'a CallContext,
    ) -> BoxFuture<'a, Result<Option<String>, ToolError>> {
        let agent = Arc::clone(&self.agent);
        let workflow = Workflow::new(NAME, DESCRIPTION, [] as [Call; 0], move || agent());
        async move { workflow.recover(context).await }.boxed()
    }
}

impl fmt::Debug for InlineWorkflow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InlineWorkflow").finish_non_exhaustive()
    }
}

const NAME: &str = "workflow";

const DESCRIPTION: &str = "Runs many calls in one go, without you between them. Entries of `actions`: \
    a call {\"id\",\"name\",\"parameters\"}; {\"id\",\"foreach\":EXPR,\"as\":\"x\",\"actions\":[…]} for each item; \
    {\"id\",\"if\":EXPR,\"then\":[…],\"else\":[…]}; {\"id\",\"parallel\":\"all\",\"actions\":[…]}; \
    {\"id\",\"transaction\":[…]}: all or nothing, where files come back by themselves and other calls \
    need \"compensate\":{\"name\",\"parameters\"}; {\"id\",\"value\":EXPR}. In parameters `$id` is the output of an earlier entry. EXPR is in CEL: \
    `files.filter(f, f.size > 1000).map(f, f.path)`, `ok(build)`, `sum(list)`. You read only the output \
    of the last entry, failures, and calls with \"show\":true.";

const SCHEMA: &str = r#"{"type":"object","properties":{"actions":{"type":"array","items":{"type":"object"},"description":"calls and blocks, in order"},"output":{"type":"string","description":"the id of the entry whose output you want, if it is not the last one"}},"required":["actions"],"additionalProperties":false}"#;
