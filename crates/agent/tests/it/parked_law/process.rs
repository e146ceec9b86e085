//! A process that works at a conversation: an agent over a store, with tools that note their starts.

use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::future::BoxFuture;
use futures_util::{FutureExt as _, StreamExt as _, stream};
use silcrow_agent::{Agent, Error, ParkedQuestion, ParkedRun, QuestionAnswer, RunOutcome};
use silcrow_event::{Approval, ApprovalState, Entry, Event, RunEventRef};
use silcrow_provider::{Delta, DeltaStream, FinishReason, OpeningSession, Provider, Request};
use silcrow_store::{MemoryStore, Store as _};
use silcrow_testkit::seed;
use silcrow_tool::{
    ApprovalDecision, ApprovalNeed, ApprovalRequest, Approver, CallContext, Preview, Tool,
    ToolError, ToolOutput, ToolPolicy,
};
use tokio::runtime::Builder;

use super::mortal::{Death, MortalStore};
use super::script::{SHARED, Script};
use crate::support::{Random, tool, toolbox, with};

/// A conversation, and everything that its calls did.
#[derive(Clone)]
pub(super) struct World {
    pub(super) script: Arc<Script>,
    pub(super) store: Arc<MemoryStore>,
    pub(super) starts: Arc<Mutex<Vec<Start>>>,
}

/// The start of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Start {
    pub(super) turn: u32,
    pub(super) id: String,
    pub(super) tool: &'static str,
    /// Whether an approval was stored, if the call needs one.
    pub(super) is_allowed: bool,
}

/// A process, from its start to its end.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Process {
    /// Its number, on which its choices depend.
    pub(super) number: u64,
    /// Of how many questions it leaves one open: 0 of none, and 1 of each.
    pub(super) parks: u64,
    pub(super) is_asked_at_once: bool,
    pub(super) death: Option<Death>,
}

/// The outcome of a run, and the text for the person that it emitted, with its turns.
pub(super) struct Ran {
    pub(super) outcome: Result<RunOutcome, Error>,
    pub(super) text: Vec<(u32, String)>,
}

impl World {
    pub(super) fn new(script: &Arc<Script>) -> Self {
        let (script, store) = (Arc::clone(script), Arc::new(MemoryStore::new()));
        Self { script, store, starts: Arc::default() }
    }

    /// Sends the prompt. Returns `None` if the process died.
    pub(super) fn run(&self, process: Process) -> Option<Ran> {
        self.work(process, None)
    }

    /// Continues the run. Returns `None` if the process died.
    pub(super) fn resume(&self, process: Process, answers: &[QuestionAnswer]) -> Option<Ran> {
        self.work(process, Some(answers))
    }

    fn work(&self, process: Process, answers: Option<&[QuestionAnswer]>) -> Option<Ran> {
        live(&self.store, process.death, |store| {
            let agent = self.agent(store, process);
            async move {
                let mut text = Vec::new();
                let mut emit = |event: RunEventRef<'_>| {
                    if let RunEventRef::Text(piece, place) = event
                        && piece.kind.is_respond()
                    {
                        text.push((place.turn.unwrap(), piece.text.to_owned()));
                    }
                };
                let outcome = match answers {
                    None => agent.run("c", "go", &mut emit).await,
                    Some(answers) => agent.resume("c", answers, &mut emit).await,
                };
                Ran { outcome, text }
            }
            .boxed()
        })
    }

    /// Stores answers. Returns `None` if the process died.
    pub(super) fn answer(
        &self,
        process: Process,
        answers: &[QuestionAnswer],
    ) -> Option<Result<(), Error>> {
        live(&self.store, process.death, |store| {
            async move { ParkedRun::read(&store, "c", None).await?.answer(answers).await }.boxed()
        })
    }

    /// Returns the questions for whose answers the conversation waits.
    pub(super) fn questions(&self) -> Vec<ParkedQuestion> {
        let questions = live(&self.store, None, |store| {
            async move { ParkedRun::read(&store, "c", None).await.unwrap().questions().to_vec() }
                .boxed()
        });
        questions.expect("nothing kills it")
    }

    pub(super) fn entries(&self) -> Vec<Entry> {
        self.store.read("c", 1..=u64::MAX).now_or_never().unwrap().unwrap_or_default()
    }

    /// Returns whether a process may have started a call.
    pub(super) fn has_start_mark(&self, turn: u32, id: &str) -> bool {
        let mark = format!("{turn}/{id}");
        let mark = self.store.get("started/c", &mark).now_or_never().unwrap().unwrap();
        mark.is_some_and(|mark| mark.value.is_empty())
    }

    /// Returns the starts of calls, in order.
    pub(super) fn starts(&self) -> Vec<Start> {
        self.starts.lock().unwrap().clone()
    }

    fn agent(&self, store: MortalStore, process: Process) -> Agent {
        let tools = toolbox([
            with(self.tool(
                "write",
                ToolPolicy { approval: ApprovalNeed::Always, ..ToolPolicy::default() },
            )),
            with(self.tool(
                "break",
                ToolPolicy { approval: ApprovalNeed::Always, ..ToolPolicy::default() },
            )),
            with(self.tool("read", ToolPolicy { read_only: true, ..ToolPolicy::default() })),
            with(self.tool("look", ToolPolicy::default())),
            with(self.tool("fail", ToolPolicy::default())),
        ]);
        let script = Arc::clone(&self.script);
        Agent::new(Model(Arc::clone(&script)), store)
            .with_dialect(script.dialect)
            .with_tools(tools)
            .with_approver(Person { script, process })
    }

    /// A tool whose calls take some time.
    fn tool(&self, name: &'static str, policy: ToolPolicy) -> impl Tool + use<> {
        let world = self.clone();
        let run = move |args: String, context: CallContext| {
            let world = world.clone();
            async move {
                world.note(name, policy, &args, &context);
                let time = seed(args.as_bytes()) % 4;
                if time > 0 {
                    tokio::time::sleep(Duration::from_millis(time)).await;
                }
                match name {
                    "fail" | "break" => Err(ToolError::new(format!("failed: {}", label(&args)))),
                    _ => Ok(ToolOutput::new("done", format!("[{}]", label(&args)))),
                }
            }
            .boxed()
        };
        let preview = |args: &str| Preview::new(member(args, "scope")).with_target(label(args));
        tool(name, run).with_policy(policy).with_preview(preview)
    }

    /// Notes that a call starts, and whether it may.
    fn note(&self, tool: &'static str, policy: ToolPolicy, args: &str, context: &CallContext) {
        let (turn, id) = (context.turn(), context.call_id().to_owned());
        let is_shared = member(args, "scope") == SHARED;
        let allows = |entry: &Entry| match &entry.event {
            Event::Approval(Approval { id: of, state: ApprovalState::Allowed, scope, .. }) => {
                let is_own = entry.turn == Some(turn) && *of == id;
                is_own || is_shared && scope.as_deref() == Some(SHARED)
            }
            _ => false,
        };
        let is_allowed =
            policy.approval == ApprovalNeed::Never || self.entries().iter().any(allows);
        self.starts.lock().unwrap().push(Start { turn, id, tool, is_allowed });
    }
}

impl fmt::Display for World {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}\n%%", self.script)?;
        self.entries().iter().try_for_each(|entry| writeln!(f, "{}", entry.to_json()))
    }
}

/// Runs a process until it ends; `None` if it died.
fn live<'a, T>(
    store: &Arc<MemoryStore>,
    death: Option<Death>,
    work: impl FnOnce(MortalStore) -> BoxFuture<'a, T>,
) -> Option<T> {
    let store = MortalStore::new(store, death);
    let runtime = Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
    // The tasks of the process end with its runtime.
    runtime.block_on(async {
        tokio::select! {
            biased;
            () = store.died() => None,
            done = work(store.clone()) => Some(done),
        }
    })
}

/// Returns the unique part of arguments, with the outputs in them.
fn label(args: &str) -> String {
    format!("{} {}", member(args, "n"), member(args, "value"))
}

fn member(args: &str, name: &str) -> String {
    let args: serde_json::Value = serde_json::from_str(args).unwrap();
    args[name].as_str().unwrap_or_default().to_owned()
}

/// The model of a script.
struct Model(Arc<Script>);

impl Provider for Model {
    fn name(&self) -> &str {
        "script"
    }

    fn stream(&self, request: Request) -> DeltaStream {
        let done = Delta::Done(FinishReason::Stop);
        stream::iter(self.0.answer(&request).into_iter().chain([done]).map(Ok)).boxed()
    }

    fn connect(&self, _: Request) -> Option<OpeningSession> {
        None
    }
}

/// An approver that decides as the script says, and leaves some questions open.
struct Person {
    script: Arc<Script>,
    process: Process,
}

impl Approver for Person {
    fn ask<'a>(&'a self, request: ApprovalRequest<'a>) -> BoxFuture<'a, ApprovalDecision> {
        let Process { number, parks, .. } = self.process;
        let mut random = Random(number ^ seed(request.args.as_bytes()));
        let decision = match parks > 0 && random.one_in(parks) {
            true => ApprovalDecision::Park,
            false => self.script.decide(request.scope, request.args),
        };
        async move { decision }.boxed()
    }

    fn is_asked_at_once(&self) -> bool {
        self.process.is_asked_at_once
    }
}
