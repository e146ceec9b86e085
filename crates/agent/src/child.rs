//! An agent as a tool: each call is a run of it in its own conversation.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use silcrow_event::{Content, error_chain};
use silcrow_tool::{CallContext, Scope, Tool, ToolArgs, ToolError, ToolOutput, ToolPolicy};

use crate::agent::Agent;
use crate::answer::AnswerCollector;
use crate::drive::{self, RunBeginning};
use crate::inbox::Inbox;
use crate::inner;
use crate::outcome::RunOutcome;
use crate::outlet::CallOutlet;
use crate::parts::AgentParts;

/// A tool that runs an agent: `agent {task, …}`.
///
/// Each call is a run in a new conversation in the agent's store. Its id consists of the caller's
/// conversation id, the turn and the call's id, joined by `/`. The agent's answer is the output of
/// the call. The calling run emits the agent's entries, with an
/// [`agent_path`](silcrow_event::Entry::agent_path); the agent waits while the receiver is behind.
/// Stopping the call also stops the run, and the log says so.
///
/// When the agent's run waits for answers ([`RunOutcome::Waiting`]), the calling run waits, too,
/// and continues it when it is resumed. This works only if both share a store; otherwise the caller
/// does not find the agent's questions.
///
/// An agent may call other agents and itself, up to its
/// [`max_depth`](crate::AgentOptions::max_depth).
///
/// The child has its own approver, validator, spill, root and bounds. From its caller it takes only
/// the cancellation token, the agent path, the user and the [`Budget`](silcrow_exec::Budget) of the
/// run. A child without an approver denies all calls that need approval.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// use silcrow_agent::{Agent, ChildAgent};
/// use silcrow_event::{CallKind, Event, RunEvent};
/// use silcrow_parser::Dialect;
/// use silcrow_provider::ScriptedModel;
/// use silcrow_store::MemoryStore;
/// use silcrow_tool::Toolbox;
/// use std::sync::Arc;
///
/// let store = Arc::new(MemoryStore::new());
/// let adder = Agent::new(ScriptedModel::parse("<response>4</response>", 1), Arc::clone(&store))
///     .with_dialect(Dialect::Action);
/// let mut tools = Toolbox::new();
/// tools.add_as(CallKind::Agent, ChildAgent::new("adder", "Adds.", move || adder.clone())).unwrap();
///
/// let asks = r#"<action type="agent" id="sum">{"name":"adder","parameters":{"task":"2 + 2"}}</action>
/// <response>It is $sum.</response>"#;
/// let agent = Agent::new(ScriptedModel::parse(asks, 1), store).with_dialect(Dialect::Action).with_tools(tools);
/// let mut run = agent.stream("sums", "What is 2 + 2?");
/// let mut answers = Vec::new();
/// while let Some(event) = run.next().await {
///     if let RunEvent::Entry(entry) = event
///         && let Event::Respond(respond) = entry.event
///     {
///         answers.push((entry.agent_path, respond.content));
///     }
/// }
/// let of_adder = (Some("adder".to_owned()), "4".to_owned());
/// assert_eq!(answers, [of_adder, (None, "It is 4.".to_owned())]);
/// # });
/// ```
#[derive(Clone)]
pub struct ChildAgent {
    name: String,
    description: String,
    agent: Arc<dyn Fn() -> Agent + Send + Sync>,
}

impl ChildAgent {
    /// Creates a tool with this name, which becomes a part of agent paths. A call fails if the name
    /// contains `/`. `agent` creates the agent for each call, so an agent can have itself as a
    /// tool.
    pub fn new(
        name: impl Into<String>,
        description: impl Into<String>,
        agent: impl Fn() -> Agent + Send + Sync + 'static,
    ) -> Self {
        Self { name: name.into(), description: description.into(), agent: Arc::new(agent) }
    }
}

impl Tool for ChildAgent {
    fn name(&self) -> &str {
        &self.name
    }

    fn description(&self) -> &str {
        &self.description
    }

    fn schema(&self) -> &str {
        SCHEMA
    }

    fn policy(&self) -> ToolPolicy {
        ToolPolicy { timeout: TIMEOUT, idle_timeout: Some(IDLE), ..ToolPolicy::default() }
    }

    fn call<'a>(
        &'a self,
        args: ToolArgs<'a>,
        context: &'a CallContext,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        async move {
            let parts = (self.agent)().parts;
            let scope = inner::scope(context, &self.name, &parts)?;
            let prompt = inner::prompt(args, "task")?;
            let permit = inner::enter(&scope, &self.name)?;
            let name = self.name.clone();
            // A run that is stopped still answers its open calls.
            let run = run(parts, scope, name, prompt, context.clone());
            let run = async move {
                let _permit = permit;
                run.await
            };
            context.run_to_end(run).await?
        }
        .boxed()
    }
}

const SCHEMA: &str = concat!(
    r#"{"type":"object","properties":{"#,
    r#""task":{"type":"string","description":"what the agent is to do, with all that it must know"}},"#,
    r#""additionalProperties":{"description":"something the agent is given under this name"}}"#,
);

/// The time limit of a call, in which an agent asks a model several times.
const TIMEOUT: Duration = Duration::from_secs(600);

/// The time without an event after which a call is stopped. It is long because an event may take a
/// whole answer of the model.
const IDLE: Duration = Duration::from_secs(300);

async fn run(
    parts: Arc<AgentParts>,
    scope: Scope,
    name: String,
    prompt: String,
    context: CallContext,
) -> Result<ToolOutput, ToolError> {
    let mut scope = scope;
    // An earlier process began the run, which waits for answers or was killed.
    let earlier = inner::earlier_conversation(&*parts.store, &context).await?;
    let is_resumed = earlier.is_some();
    scope.conversation = Some(match earlier {
        Some(name) => name,
        None => inner::conversation(&*parts.store, &context).await?,
    });
    let mut collector = AnswerCollector::new(&scope);
    let mut outlet = CallOutlet::new(&mut collector, &context);
    let prompt = Content::from(prompt);
    let beginning = match is_resumed {
        true => RunBeginning::Answers(&[]),
        false => RunBeginning::Prompt(&prompt),
    };
    let ended = drive::run(&parts, &scope, beginning, &Inbox::default(), &mut outlet).await;
    match ended {
        Ok(RunOutcome::Answered) => match collector.into_answer("").text {
            text if text.is_empty() => {
                Err(ToolError::new(format!("the agent `{name}` ended without an answer")))
            }
            text => Ok(ToolOutput::new("answered", text)),
        },
        Ok(RunOutcome::Waiting(_)) => {
            Err(ToolError::parked(format!("the agent `{name}` waits for a person's answer")))
        }
        Ok(RunOutcome::Interrupted) => {
            Err(ToolError::new(format!("the agent `{name}` was stopped")))
        }
        Err(error) => {
            let why = match error.budget() {
                // The person may allow more; the model that called cannot.
                Some(exhausted) => {
                    format!("{exhausted}; answer with what you have")
                }
                None => error_chain(&error),
            };
            Err(ToolError::new(format!("the agent `{name}` gave no answer: {why}")))
        }
    }
}

impl fmt::Debug for ChildAgent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ChildAgent").field("name", &self.name).finish_non_exhaustive()
    }
}
