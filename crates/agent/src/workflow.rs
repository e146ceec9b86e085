//! A workflow as a tool: each call runs a plan of prepared actions.
//!
//! This module declares and checks actions. The submodule `run` runs them.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use silcrow_event::{ActionAttributes, BlockMark, Call, CallEnd, CallResult, Event, Json};
use silcrow_plan::{
    ControlKind, ControlStep, Plan, PlanDecision, PlanLimits, PlanUpdate, expression_flaw,
};
use silcrow_tool::{CallContext, Tool, ToolArgs, ToolError, ToolOutput, ToolPolicy};

use crate::agent::Agent;
use crate::inner::{self, members};

mod inline;
mod left_over;
mod reported;
mod run;

pub use inline::InlineWorkflow;

/// A plan of prepared actions that a call runs: `workflow {…}`.
///
/// The actions are in the order in which a model would write them, and have the same meaning: they
/// depend on each other, use outputs by `$name`, run in parallel if they may, and are retried
/// (P-20, P-24, P-25, P-26). `$name` may also refer to the argument with that name. Control blocks
/// choose, repeat and group them (P-29 to P-31); their expressions may use arguments, too.
///
/// A workflow runs with the tools, the approver and the bounds of an agent. It may call agents and
/// other workflows, up to its agent's [`max_depth`](crate::AgentOptions::max_depth). Like a
/// [`ChildAgent`](crate::ChildAgent), it has its own conversation, and its events carry an
/// `agent_path`.
///
/// Its output is the output of one action or block, or a JSON object of all outputs. If an output is
/// missing, the call fails with the names of the actions that failed. An action with
/// [`show`](ActionAttributes::show) is shown beside the output: then the content is
/// `{"output": …, "shown": {ID: …}}`. A failure that does not fail the workflow is a notice.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// use silcrow_agent::{Agent, Llm, Workflow};
/// use silcrow_event::{ActionAttributes, Call, CallKind};
/// use silcrow_provider::ScriptedModel;
/// use silcrow_store::MemoryStore;
/// use silcrow_tool::{ToolArgs, CallContext, Tool as _, Toolbox};
///
/// let mut tools = Toolbox::new();
/// tools.add_as(CallKind::Llm, Llm::new("brief", "Makes it short.", ScriptedModel::parse("short", 1))).unwrap();
/// let agent = Agent::new(ScriptedModel::parse("", 1), MemoryStore::new()).with_tools(tools);
///
/// let shorten = Call::parse("a", r#"{"name":"brief","args":{"text":"$text"}}"#).unwrap();
/// let shorten = shorten.with_action(ActionAttributes { kind: CallKind::Llm, ..ActionAttributes::default() });
/// let digest = Workflow::new("digest", "Makes a text short.", [shorten], move || agent.clone())
///     .with_inputs(r#"{"type":"object","properties":{"text":{"type":"string"}}}"#, [])
///     .with_output("a");
///
/// let context = CallContext::new("c", "w");
/// let output = digest.call(ToolArgs::new(r#"{"text":"a long text"}"#), &context).await.unwrap();
/// assert_eq!(output.content, "short");
/// # });
/// ```
#[derive(Clone)]
pub struct Workflow {
    name: String,
    description: String,
    steps: Arc<[ControlStep]>,
    schema: String,
    defaults: Vec<(String, Json)>,
    output: Option<String>,
    agent: WorkflowHost,
}

/// A function that creates the agent whose tools a workflow uses.
type WorkflowHost = Arc<dyn Fn() -> Agent + Send + Sync>;

impl Workflow {
    /// Creates a workflow of these actions and blocks, without inputs. The name becomes a part of agent paths;
    /// a call fails if it contains `/`. `agent` creates, for each call, the agent whose tools the
    /// workflow uses, so that agent can have the workflow itself as a tool.
    pub fn new(
        name: impl Into<String>,
        description: impl Into<String>,
        actions: impl IntoIterator<Item = impl Into<ControlStep>>,
        agent: impl Fn() -> Agent + Send + Sync + 'static,
    ) -> Self {
        Self {
            name: name.into(),
            description: description.into(),
            steps: actions.into_iter().map(|step| with_attributes(step.into(), &[])).collect(),
            schema: NO_INPUTS.to_owned(),
            defaults: Vec::new(),
            output: None,
            agent: Arc::new(agent),
        }
    }

    /// Sets the inputs: the JSON schema of an object, and defaults for members that a call leaves
    /// out.
    #[must_use]
    pub fn with_inputs(
        self,
        schema: impl Into<String>,
        defaults: impl IntoIterator<Item = (String, Json)>,
    ) -> Self {
        Self { schema: schema.into(), defaults: defaults.into_iter().collect(), ..self }
    }

    /// Sets the action whose output is the workflow's output: the last one with this `output_key`,
    /// otherwise the last one with this id.
    #[must_use]
    pub fn with_output(self, name: impl Into<String>) -> Self {
        Self { output: Some(name.into()), ..self }
    }

    /// Returns the positions of actions that can never run, each with the reason: an id that is
    /// taken or unknown, or actions that wait for each other.
    pub fn flaws(actions: &[Call]) -> Vec<(usize, String)> {
        let mut flaws = Vec::new();
        let mut places = HashMap::new();
        let mut plan = Plan::new();
        for (index, call) in actions.iter().enumerate() {
            if places.contains_key(call.id()) {
                flaws.push((index, format!("the id `{}` is taken", call.id())));
            } else {
                places.insert(call.id(), index);
                plan.push(action(call.clone()));
            }
        }
        plan.end_text();
        while let Some(decision) = plan.decide() {
            if let PlanDecision::Start(ready) = decision {
                plan.finish(ready.id(), CallResult::success(ready.id(), ready.name(), "", ""));
            }
        }
        while let Some(update) = plan.next_update() {
            if let PlanUpdate::End { id, how: CallEnd::Failed } = update {
                let why = plan.outcome(&id).map(|outcome| outcome.content.text().into_owned());
                flaws.extend(places.get(&*id).copied().zip(why));
            }
        }
        flaws
    }

    /// Returns the positions of actions and blocks that can never run, each with the reason, as
    /// [`flaws`](Self::flaws) does. In blocks only ids and expressions are checked, because the
    /// actions that run depend on outputs.
    pub fn step_flaws(steps: &[ControlStep]) -> Vec<(usize, String)> {
        let call = |step: &ControlStep| match step {
            ControlStep::Call(call) => Some(call.clone()),
            _ => None,
        };
        if let Some(calls) = steps.iter().map(call).collect::<Option<Vec<_>>>() {
            return Self::flaws(&calls);
        }
        let mut seen = HashSet::new();
        let mut flaws = Vec::new();
        for (index, step) in steps.iter().enumerate() {
            each_step(step, &mut |step| {
                if !seen.insert(step.id().to_owned()) {
                    flaws.push((index, format!("the id `{}` is taken", step.id())));
                }
                if let ControlStep::Block { block, .. } = step
                    && let Some(why) = expression_flaw(&block.kind)
                {
                    flaws.push((index, format!("`{}`: {why}", block.id)));
                }
            });
        }
        flaws
    }

    /// Returns the plan of a call with these arguments, without the steps.
    fn plan(&self, args: ToolArgs<'_>, limits: PlanLimits) -> Result<Plan, ToolError> {
        let members = members(args)?;
        let mut plan = Plan::with_limits(limits);
        // The last value for a name wins, so arguments replace defaults.
        for (name, value) in &self.defaults {
            plan.preset(name, value.clone());
        }
        for member in &members {
            if let Some(value) = Json::parse(member.value()) {
                plan.preset(member.key(), value);
            }
        }
        Ok(plan)
    }
}

impl Tool for Workflow {
    fn name(&self) -> &str {
        &self.name
    }

    fn description(&self) -> &str {
        &self.description
    }

    fn schema(&self) -> &str {
        &self.schema
    }

    fn policy(&self) -> ToolPolicy {
        ToolPolicy { timeout: TIMEOUT, ..ToolPolicy::default() }
    }

    fn call<'a>(
        &'a self,
        args: ToolArgs<'a>,
        context: &'a CallContext,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        async move {
            let parts = (self.agent)().parts;
            let scope = inner::scope(context, &self.name, &parts)?;
            if let Some((index, why)) = Self::step_flaws(&self.steps).first() {
                let which = index + 1;
                let name = &self.name;
                let why = format!("the workflow `{name}` cannot run: action {which}: {why}");
                return Err(ToolError::new(why));
            }
            let permit = inner::enter(&scope, &self.name)?;
            let plan = self.plan(args, parts.options.plan)?;
            let mut begin = vec![Event::user(args.as_str())];
            self.steps.iter().for_each(|step| write_step(step, StepPlace::Outside, &mut begin));
            let run = run::run(self.clone(), parts, scope, plan, begin, context.clone());
            // A plan that is stopped still answers its open calls.
            let run = async move {
                let _permit = permit;
                run.await
            };
            context.run_to_end(run).await?
        }
        .boxed()
    }

    fn recover<'a>(
        &'a self,
        context: &'a CallContext,
    ) -> BoxFuture<'a, Result<Option<String>, ToolError>> {
        async move {
            let parts = (self.agent)().parts;
            let scope = inner::scope(context, &self.name, &parts)?;
            left_over::finish(&parts, scope, context).await
        }
        .boxed()
    }
}

/// Passes on a step, and all steps in it.
fn each_step(step: &ControlStep, take: &mut dyn FnMut(&ControlStep)) {
    take(step);
    if let ControlStep::Block { body, otherwise, .. } = step {
        body.iter().chain(otherwise).for_each(|step| each_step(step, take));
    }
}

/// Where a step is written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum StepPlace {
    Outside,
    InLoop,
}

/// Writes the events of a step, as a turn has them. A call in a loop is a template, and stored again for
/// each item.
fn write_step(step: &ControlStep, place: StepPlace, events: &mut Vec<Event>) {
    match step {
        ControlStep::Call(call) if place == StepPlace::InLoop => {
            events.push(Event::Block(BlockMark::Template(call.clone())));
        }
        ControlStep::Call(call) => events.push(Event::Call(call.clone())),
        ControlStep::Block { block, body, otherwise } => {
            let is_loop = matches!(block.kind, ControlKind::ForEach { .. });
            let place = if is_loop { StepPlace::InLoop } else { place };
            let id = block.id.clone();
            events.push(Event::Block(BlockMark::Begin(block.clone())));
            if !block.kind.has_body() {
                return;
            }
            body.iter().for_each(|step| write_step(step, place, events));
            if !otherwise.is_empty() {
                events.push(Event::Block(BlockMark::Otherwise { id: id.clone() }));
                otherwise.iter().for_each(|step| write_step(step, place, events));
            }
            events.push(Event::Block(BlockMark::End { id }));
        }
        _ => {}
    }
}

/// Returns a step whose calls are actions, and say in which transactions they are.
fn with_attributes(step: ControlStep, around: &[String]) -> ControlStep {
    match step {
        ControlStep::Call(call) => {
            let call = action(call);
            let attributes = call.action().cloned().unwrap_or_default();
            let transactions = around.to_vec();
            ControlStep::Call(call.with_action(ActionAttributes { transactions, ..attributes }))
        }
        ControlStep::Block { block, body, otherwise } => {
            let mut around = around.to_vec();
            if let ControlKind::Transaction { .. } = block.kind {
                around.push(block.id.clone());
            }
            let all = |steps: Vec<ControlStep>| {
                steps.into_iter().map(|step| with_attributes(step, &around)).collect()
            };
            ControlStep::Block { block, body: all(body), otherwise: all(otherwise) }
        }
        other => other,
    }
}

/// Returns the call as an action, with default attributes if it has none.
fn action(call: Call) -> Call {
    if call.action().is_some() { call } else { call.with_action(ActionAttributes::default()) }
}

const NO_INPUTS: &str = r#"{"type":"object","properties":{},"additionalProperties":false}"#;

/// The time limit of a call, which is enough for several agents in a row.
const TIMEOUT: Duration = Duration::from_secs(1800);

impl fmt::Debug for Workflow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Workflow").field("name", &self.name).finish_non_exhaustive()
    }
}
