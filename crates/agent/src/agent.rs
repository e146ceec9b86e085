//! The agent as callers see it: its parts, its settings, and the three ways to run it.

use std::fmt;
use std::sync::{Arc, OnceLock};

use silcrow_context::{CompactedHistory, ModelLimits};
use silcrow_event::{Content, RunEventRef};
use silcrow_provider::Provider;
use silcrow_store::Store;
use silcrow_tool::{Approver, BasicValidator, DenyAll, Scope, Secrets, Toolbox};

use crate::answer::{Answer, AnswerCollector};
use crate::drive::{self, OwnedBeginning, RunBeginning};
use crate::error::Error;
use crate::inbox::Inbox;
use crate::options::AgentOptions;
use crate::outcome::RunOutcome;
use crate::outlet::{AnswerOutlet, CallbackOutlet};
use crate::parts::AgentParts;
use crate::questions::QuestionAnswer;
use crate::refused_media::RefusedMedia;
use crate::stream::{RunStream, StreamOptions};

/// Runs a model with tools, and keeps its conversations in a store.
///
/// An agent holds no conversation: each run reads its conversation from the store. Cloning an agent
/// is cheap.
///
/// There are three ways to run it: [`ask`](Self::ask) returns the answer, [`run`](Self::run) calls
/// a function with each event, and [`stream`](Self::stream) returns the events as a stream.
/// [`spawn`](Self::spawn) is like `run`, but in a task.
#[derive(Clone)]
pub struct Agent {
    pub(crate) parts: Arc<AgentParts>,
}

impl Agent {
    /// Creates an agent without tools, with the default [`AgentOptions`].
    pub fn new(provider: impl Provider + 'static, store: impl Store + 'static) -> Self {
        Self {
            parts: Arc::new(AgentParts {
                provider: Arc::new(provider),
                store: Arc::new(store),
                tools: Arc::new(Toolbox::new()),
                tool_source: None,
                approver: Arc::new(DenyAll),
                validator: Arc::new(BasicValidator),
                spill: None,
                context: Arc::new(CompactedHistory),
                options: AgentOptions::default(),
                system: OnceLock::new(),
                later_limits: Arc::default(),
                presumed_limits: ModelLimits::default(),
                refused_media: RefusedMedia::default(),
                secrets: Secrets::default(),
                replayed: None,
                observer: None,
                profile: None,
            }),
        }
    }

    pub(crate) fn parts_mut(&mut self) -> &mut AgentParts {
        AgentParts::to_change(&mut self.parts)
    }

    /// Returns the agent's tools and everything else it may call.
    pub fn tools(&self) -> &Toolbox {
        &self.parts.tools
    }

    /// Returns the approver, which decides about calls that need approval.
    pub fn approver(&self) -> Arc<dyn Approver> {
        Arc::clone(&self.parts.approver)
    }

    /// Returns the settings of the agent.
    pub fn options(&self) -> &AgentOptions {
        &self.parts.options
    }

    /// Sends a prompt in a new conversation and returns the answer.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// use silcrow_agent::Agent;
    /// use silcrow_provider::ScriptedModel;
    /// use silcrow_store::MemoryStore;
    ///
    /// let model = ScriptedModel::parse("§think: easy\n§respond: It is 4.\n§end", 1);
    /// let agent = Agent::new(model, MemoryStore::new());
    /// let answer = agent.ask("What is 2 + 2?").await.unwrap();
    /// assert_eq!(answer.text, "It is 4.");
    /// # });
    /// ```
    ///
    /// # Errors
    ///
    /// See [`run`](Self::run).
    ///
    /// # Panics
    ///
    /// The future panics if it is polled outside a tokio runtime, or in one without timers.
    pub async fn ask(&self, prompt: &str) -> Result<Answer, Error> {
        self.ask_in(Scope::default(), prompt).await
    }

    /// Sends a prompt in the conversation of a scope and returns the answer.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// # use silcrow_agent::Agent;
    /// # use silcrow_provider::ScriptedModel;
    /// # use silcrow_store::MemoryStore;
    /// let model = ScriptedModel::parse("§respond: 4\n§end\n%%\n§respond: 5\n§end", 1);
    /// let agent = Agent::new(model, MemoryStore::new());
    /// let first = agent.ask("What is 2 + 2?").await.unwrap();
    /// let second = agent.ask_in(&*first.conversation, "And one more?").await.unwrap();
    /// assert_eq!(second.text, "5");
    /// # });
    /// ```
    ///
    /// # Errors
    ///
    /// See [`run`](Self::run). A cancelled run is [`Interrupted`](crate::ErrorKind::Interrupted).
    ///
    /// # Panics
    ///
    /// The future panics if it is polled outside a tokio runtime, or in one without timers.
    pub async fn ask_in(&self, scope: impl Into<Scope>, prompt: &str) -> Result<Answer, Error> {
        let scope = self.parts.complete(scope.into());
        let mut collector = AnswerCollector::new(&scope);
        let mut outlet = AnswerOutlet(&mut collector);
        let inbox = Inbox::default();
        let prompt = Content::from(prompt);
        let beginning = RunBeginning::Prompt(&prompt);
        let outcome = drive::run(&self.parts, &scope, beginning, &inbox, &mut outlet).await?;
        collector.into_answer(scope.conversation_id()).into_result(outcome)
    }

    /// Runs from a prompt to an answer in the conversation of a scope, and calls `emit` with each
    /// event.
    ///
    /// Pieces of text are emitted before anything is stored, and nothing is allocated for them;
    /// entries are emitted when they are stored. Entries of agents that this one calls are emitted
    /// too, with an `agent_path`. When the scope's token is cancelled, model and tools are stopped
    /// and the history is left valid.
    ///
    /// If the conversation already ends with the same unanswered prompt from the same user, the run
    /// continues from that prompt and neither stores nor emits it again.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// use silcrow_agent::{Agent, RunOutcome};
    /// use silcrow_event::RunEventRef;
    /// # use silcrow_provider::ScriptedModel;
    /// # use silcrow_store::MemoryStore;
    ///
    /// let model = ScriptedModel::parse("§think: easy\n§respond: It is 4.\n§end", 1);
    /// let agent = Agent::new(model, MemoryStore::new());
    /// let mut answer = String::new();
    /// let mut emit = |event: RunEventRef<'_>| {
    ///     if let RunEventRef::Text(fragment, _) = event
    ///         && fragment.kind.is_respond()
    ///     {
    ///         answer.push_str(fragment.text);
    ///     }
    /// };
    /// let outcome = agent.run("sums", "What is 2 + 2?", &mut emit).await.unwrap();
    /// assert_eq!((outcome, &*answer), (RunOutcome::Answered, "It is 4."));
    /// # });
    /// ```
    ///
    /// # Errors
    ///
    /// See [`ErrorKind`](crate::ErrorKind). The error of a run that has begun is also emitted as an
    /// entry. Entries that the run has stored stay in the log, and the log is valid.
    ///
    /// # Panics
    ///
    /// The future panics if it is polled outside a tokio runtime, or in one without timers.
    pub async fn run(
        &self,
        scope: impl Into<Scope>,
        prompt: impl Into<Content>,
        emit: &mut (dyn FnMut(RunEventRef<'_>) + Send),
    ) -> Result<RunOutcome, Error> {
        let scope = self.parts.complete(scope.into());
        let prompt = prompt.into();
        let mut outlet = CallbackOutlet(emit);
        let beginning = RunBeginning::Prompt(&prompt);
        drive::run(&self.parts, &scope, beginning, &Inbox::default(), &mut outlet).await
    }

    /// Continues the run of a conversation that [waits for answers](RunOutcome::Waiting), in this or
    /// another process, and calls `emit` with each event. Calls whose questions have no answer are
    /// asked about again.
    ///
    /// The run emits its last turn from the beginning, with entries that are stored already.
    /// Without answers it also continues a run that ended in a crash or was stopped.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// # use futures_util::FutureExt as _;
    /// # use silcrow_tool::{CallContext, Tool, ToolArgs, ToolError, ToolOutput, ToolPolicy};
    /// # struct Save;
    /// # impl Tool for Save {
    /// #     fn name(&self) -> &str { "save" }
    /// #     fn description(&self) -> &str { "Saves." }
    /// #     fn schema(&self) -> &str { "{}" }
    /// #     fn policy(&self) -> ToolPolicy { ToolPolicy { approval: silcrow_tool::ApprovalNeed::Always, ..ToolPolicy::default() } }
    /// #     fn call<'a>(&'a self, _: ToolArgs<'a>, _: &'a CallContext)
    /// #         -> futures_util::future::BoxFuture<'a, Result<ToolOutput, ToolError>> {
    /// #         async { Ok(ToolOutput::new("saved", "")) }.boxed()
    /// #     }
    /// # }
    /// use silcrow_agent::{Agent, RunOutcome};
    /// use silcrow_tool::{ApprovalDecision, ApprovalScope, ParkAll};
    /// # use silcrow_provider::ScriptedModel;
    /// # use silcrow_store::MemoryStore;
    ///
    /// let script = "§call: {\"name\":\"save\"}\n§execute\n%%\n§respond: It is saved.\n§end";
    /// let agent = Agent::new(ScriptedModel::parse(script, 1), MemoryStore::new())
    ///     .with_tool(Save).unwrap()
    ///     .with_approver(ParkAll);
    /// let outcome = agent.run("notes", "Save it.", &mut |_| {}).await.unwrap();
    /// let RunOutcome::Waiting(questions) = outcome else { panic!() };
    ///
    /// let yes = questions[0].answer(ApprovalDecision::Allow(ApprovalScope::Once));
    /// let outcome = agent.resume("notes", &[yes], &mut |_| {}).await.unwrap();
    /// assert_eq!(outcome, RunOutcome::Answered);
    /// # });
    /// ```
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Refused`](crate::ErrorKind::Refused), and stores none of the answers,
    /// if one of them no longer matches an open question: the question is gone, answered, or about
    /// something else by now. The same kind says that the conversation is already answered. See
    /// [`run`](Self::run) for the others.
    ///
    /// # Panics
    ///
    /// The future panics if it is polled outside a tokio runtime, or in one without timers.
    pub async fn resume(
        &self,
        scope: impl Into<Scope>,
        answers: &[QuestionAnswer],
        emit: &mut (dyn FnMut(RunEventRef<'_>) + Send),
    ) -> Result<RunOutcome, Error> {
        let scope = self.parts.complete(scope.into());
        let mut outlet = CallbackOutlet(emit);
        let beginning = RunBeginning::Answers(answers);
        drive::run(&self.parts, &scope, beginning, &Inbox::default(), &mut outlet).await
    }

    /// Spawns a run as a task and returns its events as a stream.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// use silcrow_agent::{Agent, RunOutcome};
    /// use silcrow_event::RunEvent;
    /// # use silcrow_provider::ScriptedModel;
    /// # use silcrow_store::MemoryStore;
    ///
    /// let model = ScriptedModel::parse("§think: easy\n§respond: It is 4.\n§end", 1);
    /// let agent = Agent::new(model, MemoryStore::new());
    /// let mut run = agent.stream("sums", "What is 2 + 2?");
    /// let mut answer = String::new();
    /// while let Some(event) = run.next().await {
    ///     match event {
    ///         RunEvent::Text(piece) if piece.kind.is_respond() => answer += &piece.text,
    ///         _ => {}
    ///     }
    /// }
    /// assert_eq!((run.outcome().await.unwrap(), &*answer), (RunOutcome::Answered, "It is 4."));
    /// # });
    /// ```
    ///
    /// # Panics
    ///
    /// Panics outside a tokio runtime.
    pub fn stream(&self, scope: impl Into<Scope>, prompt: impl Into<Content>) -> RunStream {
        self.stream_with(scope, prompt, StreamOptions::default())
    }

    /// Like [`stream`](Self::stream), with options for the stream.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// # use silcrow_agent::{Agent, Approvals, OnDrop, StreamOptions};
    /// # use silcrow_event::RunEvent;
    /// # use silcrow_provider::ScriptedModel;
    /// # use silcrow_store::MemoryStore;
    /// # use silcrow_tool::{ApprovalDecision, ApprovalScope};
    /// # let agent = Agent::new(ScriptedModel::parse("§respond: done\n§end", 1), MemoryStore::new());
    /// let options = StreamOptions::default()
    ///     .with_on_drop(OnDrop::Detach)
    ///     .with_approvals(Approvals::Handle);
    /// let mut run = agent.stream_with("files", "Write a poem to poem.txt.", options);
    /// let handle = run.handle();
    /// while let Some(event) = run.next().await {
    ///     if let RunEvent::Approval(prompt) = event {
    ///         println!("{} {}?", prompt.tool, prompt.args);
    ///         handle.answer(prompt.number, ApprovalDecision::Allow(ApprovalScope::Once));
    ///     }
    /// }
    /// assert_eq!(run.answer().await.unwrap().text, "done");
    /// # });
    /// ```
    ///
    /// # Panics
    ///
    /// Panics outside a tokio runtime.
    pub fn stream_with(
        &self,
        scope: impl Into<Scope>,
        prompt: impl Into<Content>,
        options: StreamOptions,
    ) -> RunStream {
        let beginning = OwnedBeginning::Prompt(prompt.into());
        RunStream::spawn(Arc::clone(&self.parts), scope.into(), beginning, options)
    }

    /// Spawns a task that continues a run like [`resume`](Self::resume), and returns its events as a
    /// stream.
    ///
    /// # Panics
    ///
    /// Panics outside a tokio runtime.
    pub fn stream_resumed(
        &self,
        scope: impl Into<Scope>,
        answers: Vec<QuestionAnswer>,
        options: StreamOptions,
    ) -> RunStream {
        let beginning = OwnedBeginning::Answers(answers);
        RunStream::spawn(Arc::clone(&self.parts), scope.into(), beginning, options)
    }
}

impl fmt::Debug for Agent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Agent")
            .field("provider", &self.parts.provider.name())
            .field("options", &self.parts.options)
            .finish_non_exhaustive()
    }
}
