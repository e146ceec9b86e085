use std::collections::VecDeque;
use std::error::Error as _;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Poll;
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::{BoxFuture, poll_fn};
use silcrow_event::{Entry, Event, Respond};
use silcrow_exec::{CallContext, Tool, ToolArgs, ToolError, ToolOutput, ToolPolicy};

use crate::agent::{self, Agent, RunOutcome};
use crate::error::ErrorKind;
use crate::inner;

/// An agent that another one may call: `agent {task, …}`.
///
/// Each call is a run in a conversation of its own, in the agent's store, named after the call:
/// the calling conversation, the turn and the call's id, with `/` between them. What the agent
/// answers is the call's output. Its events are shown as they come, with an `agent_path`
/// ([`Entry::agent_path`]); where who listens is behind, the agent waits. When the call is stopped,
/// so is the run, and its log says so.
///
/// Agents may call agents, themselves among them; one deeper than its [`max_depth`](Agent::with_max_depth) is refused.
///
/// It takes over nothing of the agent that calls but its stop sign, its place in the tree, its user
/// and the [`Budget`](silcrow_exec::Budget) of the run: who says yes, how arguments are judged, where long outputs are kept, the root and all bounds are the
/// child's own, and without an approver of its own it denies what needs one.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// use silcrow_agent::{Agent, ChildAgent, RunEvent};
/// use silcrow_event::{Event, CallKind};
/// use silcrow_exec::{CancellationToken, Toolbox};
/// use silcrow_parser::Dialect;
/// use silcrow_provider::ScriptedModel;
/// use silcrow_store::MemoryStore;
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
/// let mut said = Vec::new();
/// let cancel = CancellationToken::new();
/// let mut show = |output: RunEvent<'_>| {
///     if let RunEvent::Event(entry) = output
///         && let Event::Respond(respond) = &entry.event
///     {
///         said.push((entry.agent_path.clone(), respond.content.clone()));
///     }
/// };
/// agent.run("sums", "What is 2 + 2?", &cancel, &mut show).await.unwrap();
/// let of_adder = (Some("adder".to_owned()), "4".to_owned());
/// assert_eq!(said, [of_adder, (None, "It is 4.".to_owned())]);
/// # });
/// ```
#[derive(Clone)]
pub struct ChildAgent {
    name: String,
    description: String,
    agent: Arc<dyn Fn() -> Agent + Send + Sync>,
}

impl ChildAgent {
    /// An agent under a name, which is a part of paths and so holds no `/`. `agent` gives it anew
    /// for each call: it may have this very child among its tools.
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
            let agent = inner::below(context, &self.name, (self.agent)())?;
            let prompt = inner::prompt(args, "task")?;
            let permit = inner::enter(&agent, &self.name)?;
            let name = self.name.clone();
            // A run that is stopped still answers its open calls.
            let run = run(agent, name, prompt, context.clone());
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

/// An agent asks a model several times.
const TIMEOUT: Duration = Duration::from_secs(600);

/// A model that is silent for a minute is given up by its provider; an event is a whole answer.
const IDLE: Duration = Duration::from_secs(300);

async fn run(
    agent: Agent,
    name: String,
    prompt: String,
    context: CallContext,
) -> Result<ToolOutput, ToolError> {
    let conversation = inner::conversation(&*agent.store, &context).await?;
    let path = agent.path();
    let mut answer = Answer::default();
    // What one poll of the run shows, which is bounded by what a turn may hold: the run is polled
    // again when all of it is taken.
    let shown = Mutex::new(VecDeque::new());
    let mut show = |output: agent::RunEvent<'_>| {
        if let agent::RunEvent::Event(entry) = output {
            if entry.agent_path == path {
                answer.take(entry);
            }
            lock(&shown).push_back(entry.clone());
        }
    };
    let ended = {
        let run = agent.run(&conversation, &prompt, context.cancel(), &mut show);
        tokio::pin!(run);
        loop {
            let ended = poll_fn(|polling| match run.as_mut().poll(polling) {
                Poll::Ready(ended) => Poll::Ready(Some(ended)),
                Poll::Pending if lock(&shown).is_empty() => Poll::Pending,
                Poll::Pending => Poll::Ready(None),
            })
            .await;
            let events = std::mem::take(&mut *lock(&shown));
            for entry in events {
                context.inner(entry).await;
            }
            if let Some(ended) = ended {
                break ended;
            }
        }
    };
    match ended {
        Ok(RunOutcome::Answered) => answer.output(&name),
        Ok(RunOutcome::Interrupted) => {
            Err(ToolError::new(format!("the agent `{name}` was stopped")))
        }
        Err(error) => {
            let why = match (error.kind(), error.source()) {
                // The person may allow more; the model that called cannot.
                (ErrorKind::Budget(_), Some(exhausted)) => {
                    format!("{exhausted}; answer with what you have")
                }
                _ => error.to_string(),
            };
            Err(ToolError::new(format!("the agent `{name}` gave no answer: {why}")))
        }
    }
}

/// What the last turn says in final responses.
#[derive(Default)]
struct Answer {
    turn: Option<u32>,
    said: Vec<String>,
}

impl Answer {
    fn take(&mut self, entry: &Entry) {
        if let Event::Respond(Respond { content, last: true, .. }) = &entry.event {
            if self.turn != entry.turn {
                self.said.clear();
            }
            self.turn = entry.turn;
            self.said.push(content.clone());
        }
    }

    fn output(self, name: &str) -> Result<ToolOutput, ToolError> {
        if self.said.is_empty() {
            return Err(ToolError::new(format!("the agent `{name}` ended without an answer")));
        }
        Ok(ToolOutput::new("answered", self.said.join("\n\n")))
    }
}

fn lock(shown: &Mutex<VecDeque<Entry>>) -> MutexGuard<'_, VecDeque<Entry>> {
    shown.lock().unwrap_or_else(PoisonError::into_inner)
}

impl fmt::Debug for ChildAgent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Child").field("name", &self.name).finish_non_exhaustive()
    }
}
