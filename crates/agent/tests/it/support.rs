//! Models and tools of tests, and a run with everything that it emitted and stored.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use futures_util::future::BoxFuture;
use futures_util::{FutureExt as _, StreamExt as _, stream};
use silcrow_agent::{Agent, Error, RunOutcome};
use silcrow_event::{Entry, Event, Message, RunEventRef, TextKind};
use silcrow_provider::{Delta, DeltaStream, Error as Refusal, OpeningSession, Provider, Request};
use silcrow_store::{MemoryStore, Store};
use silcrow_tool::{
    ApprovalNeed, CallContext, CancellationToken, Preview, Scope, Tool, ToolArgs, ToolError,
    ToolOutput, ToolPolicy, Toolbox,
};

/// A model whose answers are lists of deltas. It records the requests.
#[derive(Clone, Default)]
pub(crate) struct DeltaModel {
    answers: Arc<Mutex<VecDeque<Answer>>>,
    asked: Arc<Mutex<Vec<Vec<Message>>>>,
}

pub(crate) struct Answer {
    pub(crate) deltas: Vec<Result<Delta, Refusal>>,
    /// Whether the stream hangs after the last delta instead of ending.
    pub(crate) hangs: bool,
}

impl DeltaModel {
    pub(crate) fn new(answers: impl IntoIterator<Item = Answer>) -> Self {
        let answers = Arc::new(Mutex::new(answers.into_iter().collect()));
        Self { answers, asked: Arc::default() }
    }

    pub(crate) fn asked(&self) -> Vec<Vec<Message>> {
        self.asked.lock().unwrap().clone()
    }
}

impl Provider for DeltaModel {
    fn name(&self) -> &str {
        "says"
    }

    fn stream(&self, request: Request) -> DeltaStream {
        self.asked.lock().unwrap().push(request.messages.into());
        match self.answers.lock().unwrap().pop_front() {
            Some(Answer { deltas, hangs: false }) => stream::iter(deltas).boxed(),
            Some(Answer { deltas, hangs: true }) => {
                stream::iter(deltas).chain(stream::pending()).boxed()
            }
            None => stream::empty().boxed(),
        }
    }

    fn connect(&self, _: Request) -> Option<OpeningSession> {
        None
    }
}

/// A tool that calls a closure.
pub(crate) struct TestTool<F> {
    name: &'static str,
    policy: ToolPolicy,
    /// DeltaModel what a call would do, where it is not the default.
    look: Option<fn(&str) -> Preview>,
    run: F,
}

pub(crate) type Doing = BoxFuture<'static, Result<ToolOutput, ToolError>>;

pub(crate) fn tool<F>(name: &'static str, run: F) -> TestTool<F>
where
    F: Fn(String, CallContext) -> Doing + Send + Sync,
{
    TestTool { name, policy: ToolPolicy::default(), look: None, run }
}

impl<F> TestTool<F> {
    pub(crate) fn with_policy(self, policy: ToolPolicy) -> Self {
        Self { policy, ..self }
    }

    /// Its calls need a person's yes.
    pub(crate) fn asking(self) -> Self {
        let policy = ToolPolicy { approval: ApprovalNeed::Always, ..self.policy };
        self.with_policy(policy)
    }

    pub(crate) fn with_preview(self, look: fn(&str) -> Preview) -> Self {
        Self { look: Some(look), ..self }
    }
}

impl<F> Tool for TestTool<F>
where
    F: Fn(String, CallContext) -> Doing + Send + Sync,
{
    fn name(&self) -> &str {
        self.name
    }

    fn description(&self) -> &str {
        "Does what a test says."
    }

    fn schema(&self) -> &str {
        r#"{"type":"object"}"#
    }

    fn policy(&self) -> ToolPolicy {
        self.policy
    }

    fn preview<'a>(
        &'a self,
        args: ToolArgs<'a>,
        _: &'a CallContext,
    ) -> BoxFuture<'a, Result<Preview, ToolError>> {
        let look = self.look.unwrap_or(|args| Preview::new(args));
        async move { Ok(look(args.as_str())) }.boxed()
    }

    fn call<'a>(
        &'a self,
        args: ToolArgs<'a>,
        context: &'a CallContext,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        (self.run)(args.as_str().to_owned(), context.clone())
    }
}

/// Returns a tool that returns its arguments.
pub(crate) fn echo(name: &'static str) -> impl Tool {
    tool(name, |args, _| async move { Ok(ToolOutput::new("echoed", args)) }.boxed())
}

/// Returns a tool that never ends.
pub(crate) fn hangs(name: &'static str) -> impl Tool {
    tool(name, |_, _| std::future::pending().boxed())
}

pub(crate) fn toolbox(tools: impl IntoIterator<Item = Box<dyn FnOnce(&mut Toolbox)>>) -> Toolbox {
    let mut toolbox = Toolbox::new();
    for add in tools {
        add(&mut toolbox);
    }
    toolbox
}

pub(crate) fn with(tool: impl Tool + 'static) -> Box<dyn FnOnce(&mut Toolbox)> {
    Box::new(|toolbox| toolbox.add(tool).unwrap())
}

/// A run's outcome, with the emitted and the stored entries.
pub(crate) struct Ran {
    pub(crate) ended: Result<RunOutcome, Error>,
    pub(crate) shown: Vec<Entry>,
    /// Fragments joined by turn and part.
    pub(crate) text: Vec<((u32, u32), String)>,
    pub(crate) stored: Vec<Entry>,
}

impl Ran {
    pub(crate) fn types(entries: &[Entry]) -> Vec<&'static str> {
        entries.iter().map(|entry| entry.event.type_name()).collect()
    }

    pub(crate) fn result(&self, id: &str) -> &silcrow_event::CallResult {
        let find = |entry: &'_ Entry| match &entry.event {
            Event::Result(outcome) => outcome.id.as_deref() == Some(id),
            _ => false,
        };
        match &self.stored.iter().find(|entry| find(entry)).expect("there is a result").event {
            Event::Result(outcome) => outcome,
            _ => unreachable!(),
        }
    }
}

pub(crate) async fn run(
    agent: &Agent,
    store: &Arc<MemoryStore>,
    prompt: &str,
    cancel: &CancellationToken,
) -> Ran {
    let mut shown = Vec::new();
    let mut text: Vec<((u32, u32), String)> = Vec::new();
    let ended = agent
        .run(Scope::new("c").with_cancellation(cancel.clone()), prompt, &mut |output| {
            match output {
                // The person does not see it.
                RunEventRef::Text(piece, _) if piece.kind == TextKind::Malformed => {}
                RunEventRef::Text(piece, place) => {
                    let part = (place.turn.unwrap(), piece.part);
                    match text.last_mut() {
                        Some((last, whole)) if *last == part => whole.push_str(piece.text),
                        _ => text.push((part, piece.text.to_owned())),
                    }
                }
                RunEventRef::Entry(entry) => shown.push(entry.clone()),
                _ => {}
            }
        })
        .await;
    let head = store.head("c").await.unwrap();
    let stored = if head == 0 { Vec::new() } else { store.read("c", 1..=head).await.unwrap() };
    Ran { ended, shown, text, stored }
}

/// A generator of numbers (SplitMix64).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ (mixed >> 31)) % bound
    }

    /// Returns whether one of so many equal chances came true.
    pub(crate) fn one_in(&mut self, chances: u64) -> bool {
        self.below(chances) == 0
    }
}
