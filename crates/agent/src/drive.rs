//! The loop of a run: its steps, from a prompt or answers to the end.
//!
//! A run recovers work that an earlier one left open, makes steps until an answer, an error or a
//! cancellation ends it, and then waits for the calls in the background. If only questions are
//! left, it parks, and another run continues it. While a queue of events waits for its receiver,
//! the run reads neither deltas nor updates of calls.

mod compact;
mod message;
mod park;
mod recovery;
mod spend;
mod step;
mod stop;
mod summarize;

use std::mem::take;

use silcrow_event::{Content, ContextSummary, Event, Usage};
use silcrow_exec::{Budget, SpendingExhausted};
use silcrow_native::NativeFamily;
use silcrow_store::Hold;
use silcrow_tool::{CancellationToken, Scope, WakeGated};
use tracing::Instrument as _;

pub(crate) use self::message::{OwnedBeginning, RunBeginning};
use self::message::{masked, store};
use self::stop::Drained;
use crate::admission::{check, check_prompt};
use crate::background::BackgroundTurns;
use crate::connection::ModelConnection;
use crate::current_tools::CurrentTools;
use crate::ending::{AfterAnswer, FailedAnswers};
use crate::error::{Error, ErrorKind};
use crate::inbox::Inbox;
use crate::log::Log;
use crate::model_summary::ModelSummary;
use crate::outcome::RunOutcome;
use crate::outlet::Outlet;
use crate::parts::AgentParts;
use crate::profile::{learn_after, with_facts};
use crate::repetition::RepeatedCalls;
use crate::request::system;
use crate::request_media::RunContext;
use crate::run_order::RunOrder;
use crate::sink::OutputSink;
use crate::step_kind::StepKind;
use crate::trace;
use crate::watch::begin_watch;
use crate::window::ModelWindow;

/// Runs an agent to an answer. The scope names a conversation and holds a budget.
pub(crate) async fn run(
    parts: &AgentParts,
    scope: &Scope,
    beginning: RunBeginning<'_>,
    inbox: &Inbox,
    outlet: &mut dyn Outlet,
) -> Result<RunOutcome, Error> {
    let span = trace::run_span(scope);
    let own = Box::pin(with_facts(parts, scope)).await;
    let own = own.as_deref().unwrap_or(parts);
    let ended = run_checked(own, scope, beginning, inbox, outlet).instrument(span.clone()).await;
    if let Ok(outcome) = &ended {
        Box::pin(learn_after(parts, scope, outcome)).await;
    }
    span.in_scope(|| trace::run_ended(&ended));
    ended
}

/// Runs an agent in a conversation that no other run has.
async fn run_checked(
    parts: &AgentParts,
    scope: &Scope,
    beginning: RunBeginning<'_>,
    inbox: &Inbox,
    outlet: &mut dyn Outlet,
) -> Result<RunOutcome, Error> {
    check(scope)?;
    if let RunBeginning::Prompt(prompt) = beginning {
        check_prompt(&prompt.text())?;
    }
    let hold = tokio::select! {
        hold = parts.store.hold(scope.conversation_id()) => hold?,
        // Another run still has the conversation.
        () = scope.cancellation.cancelled() => return Ok(RunOutcome::Interrupted),
    };
    let ended = run_held(parts, scope, &hold, beginning, inbox, outlet).await;
    hold.release().await;
    ended
}

/// Runs an agent in a conversation that is held, and carries out orders to the run. If the hold is
/// lost, the run stops its calls.
async fn run_held<'a>(
    parts: &'a AgentParts,
    scope: &'a Scope,
    hold: &'a Hold,
    beginning: RunBeginning<'_>,
    inbox: &'a Inbox,
    outlet: &'a mut dyn Outlet,
) -> Result<RunOutcome, Error> {
    let stops = scope.cancellation.child_token();
    let budget = parts.budget(scope);
    let scope = scope.clone().with_cancellation(stops).with_extension(budget.clone());
    if let RunBeginning::Prompt(_) = beginning {
        // They were for the run that this prompt takes the place of.
        hold.drop_earlier_orders();
    }
    // A look for orders polls no more than that, and a piece of an answer does not look for orders.
    let mut run = WakeGated::new(Box::pin(async {
        let log = match beginning {
            RunBeginning::Prompt(_) => Box::pin(Log::open_needed(parts, &scope)).await?,
            RunBeginning::Answers(_) => Box::pin(Log::open(parts, &scope)).await?,
        };
        inbox.take_at(log.head());
        AgentRun::new(log, parts, &scope, hold, inbox, outlet).answer(beginning).await
    }));
    loop {
        tokio::select! {
            biased;
            ended = &mut run => return ended,
            () = hold.lost() => {
                scope.cancellation.cancel();
                return run.await;
            }
            order = WakeGated::new(Box::pin(hold.next_order())) => match RunOrder::parse(&order) {
                Some(RunOrder::Stop) => scope.cancellation.cancel(),
                Some(RunOrder::Limit { account, limit }) => {
                    budget.purse().set_limit(account, limit).await;
                }
                // A later version may support it.
                None => {}
            },
        }
    }
}

/// Summarizes a conversation up to its newest turn, and returns the summary.
pub(crate) async fn compact<'a>(
    parts: &'a AgentParts,
    scope: &'a Scope,
    focus: Option<&str>,
    outlet: &'a mut dyn Outlet,
) -> Result<Option<ContextSummary>, Error> {
    check(scope)?;
    let inbox = Inbox::default();
    // A summary is stored beside the run that holds the conversation.
    let hold = Hold::nothing();
    let log = Log::open(parts, scope).await?;
    let mut run = AgentRun::new(log, parts, scope, &hold, &inbox, outlet);
    run.read_tools().await;
    run.compact_now(focus).await
}

/// The state of a run.
struct AgentRun<'a> {
    parts: &'a AgentParts,
    scope: &'a Scope,
    cancel: &'a CancellationToken,
    hold: &'a Hold,
    budget: Budget,
    inbox: &'a Inbox,
    sink: OutputSink<'a>,
    connection: ModelConnection<'a>,
    /// The tools of the current step.
    tools: CurrentTools,
    /// The stable text of the system message.
    system: Content,
    /// The messages of the entries that were read so far.
    context: RunContext<'a>,
    /// The window of the model.
    window: ModelWindow,
    /// The estimated tokens of the last request.
    asked: u64,
    /// Whether the last summary of this run left room for many turns.
    has_room: bool,
    /// The summary that the model writes beside the steps.
    summary: ModelSummary,
    /// The number of the current turn.
    turn: u32,
    /// Earlier turns whose calls still run in the background (P-24).
    background: BackgroundTurns,
    total: Usage,
    /// Whether the last request was made before the person's last message.
    has_unread: bool,
    /// Whether the model wrote a final answer in this run.
    is_answered: bool,
    /// The account that has no room for another step after this one.
    overspent: Option<SpendingExhausted>,
    failed: FailedAnswers,
    repeated: RepeatedCalls,
    /// The families whose native forms are read (P-44).
    families: Vec<NativeFamily>,
    /// Whether the last answer began in a thought that the prompt had opened (P-38).
    opens_thought: bool,
}

impl<'a> AgentRun<'a> {
    fn new(
        log: Log<'a>,
        parts: &'a AgentParts,
        scope: &'a Scope,
        hold: &'a Hold,
        inbox: &'a Inbox,
        outlet: &'a mut dyn Outlet,
    ) -> Self {
        let tools = CurrentTools::new(parts);
        let budget = parts.budget(scope);
        let watch = begin_watch(parts, scope, &log);
        Self {
            parts,
            scope,
            cancel: &scope.cancellation,
            hold,
            inbox,
            turn: log.last_turn(),
            sink: OutputSink::new(log, budget.clone(), outlet, watch),
            budget,
            connection: ModelConnection::new(&*parts.provider, parts.options.mode),
            system: system(parts, tools.all()),
            tools,
            context: RunContext::begin(parts),
            window: ModelWindow::for_agent(parts),
            asked: 0,
            has_room: false,
            summary: ModelSummary::default(),
            background: BackgroundTurns::default(),
            total: Usage::default(),
            has_unread: false,
            is_answered: false,
            overspent: None,
            failed: FailedAnswers::default(),
            repeated: RepeatedCalls::default(),
            families: parts.options.calls.families(parts.provider.name()),
            opens_thought: false,
        }
    }

    /// Runs from the beginning to the end of the run.
    ///
    /// Futures that a run awaits at most once are boxed here and in its steps, because the future
    /// of a streaming run has room for every future that it may await.
    async fn answer(&mut self, beginning: RunBeginning<'_>) -> Result<RunOutcome, Error> {
        self.read_tools().await;
        let mut ended = self.steps(beginning).await;
        self.connection.close().await;
        if let Err(error) = Box::pin(self.close_summary()).await
            && ended.is_ok()
        {
            ended = Err(error);
        }
        if let Err(error) = &ended {
            self.sink.pass(self.turn, error.to_event());
        }
        // A run that failed or was stopped does not wait for its calls in the background.
        let why = match &ended {
            Err(_) => Some("the run failed".to_owned()),
            Ok(RunOutcome::Interrupted) => Some(self.why()),
            Ok(_) => None,
        };
        let drained = Box::pin(self.drain(why.as_deref())).await;
        match (&ended, drained) {
            (Ok(RunOutcome::Answered | RunOutcome::Waiting(_)), Ok(Drained::Parked)) => {
                ended = Box::pin(self.park()).await;
            }
            (Ok(RunOutcome::Answered | RunOutcome::Waiting(_)), Ok(Drained::Stopped)) => {
                ended = Box::pin(self.interrupted()).await;
            }
            (Ok(_), Err(error)) => {
                self.sink.pass(self.turn, error.to_event());
                ended = Err(error);
            }
            _ => {}
        }
        if matches!(ended, Ok(RunOutcome::Answered)) {
            self.sink.pass(self.turn, Event::End);
        }
        if let Err(error) = &ended {
            Box::pin(self.keep_failure(error)).await;
        }
        self.sink.flush().await;
        if ended.is_ok() {
            self.sink.log.advance_checkpoint(&*self.parts.context).await;
        }
        ended
    }

    async fn steps(&mut self, beginning: RunBeginning<'_>) -> Result<RunOutcome, Error> {
        let mut prompts = Vec::new();
        let mut resumed = match beginning {
            RunBeginning::Prompt(prompt) => {
                Box::pin(self.recover(&[])).await?;
                prompts.push(Event::user(masked(prompt, &self.scope.secrets)));
                self.sink.log.keep_media(&mut prompts).await?;
                // An earlier run stored this prompt, and ended before anything followed it (P-28).
                prompts.retain(|prompt| !self.sink.log.ends_with(prompt));
                None
            }
            RunBeginning::Answers(answers) => {
                let resumed = Box::pin(self.resume(answers)).await?;
                self.inbox.begin();
                Some(resumed)
            }
        };
        let mut is_over = resumed.as_ref().is_some_and(|resumed| resumed.is_over);
        let max_steps = self.parts.options.max_steps.max(1);
        let first = resumed.as_ref().map_or(0, |resumed| resumed.steps).max(1);
        for step in first..=max_steps.max(first) {
            // Until its first request, a run has no turn that a message could belong to.
            while step > first
                && let Some(message) = self.inbox.pop()
            {
                Box::pin(store(message, self.scope, self.turn, &mut self.sink)).await?;
            }
            let mut kind = StepKind::Ordinary;
            let after = if take(&mut is_over) {
                Ok(AfterAnswer::Finish)
            } else if let Some(turn) = resumed.take().and_then(|resumed| resumed.turn) {
                let begin = self.begin_of_last_turn();
                self.finish(turn, begin, None, kind).await
            } else {
                self.turn += 1;
                Box::pin(self.sink.store(self.turn, take(&mut prompts))).await?;
                self.inbox.begin();
                // Each agent above this one has a request reserved, so that it can still answer.
                let left = self.budget.take_request(self.scope.agent_path.len() as u32)?;
                kind = StepKind::last_if(left == 0 || step == max_steps);
                let after = self.turn(kind).await;
                Box::pin(self.after_too_long(after)).await
            };
            let after = Box::pin(self.after_step(after)).await?;
            self.has_unread |= self.sink.log.take_message();
            match after {
                AfterAnswer::Ask if self.inbox.is_left() => return Ok(self.leave()),
                AfterAnswer::Ask => {}
                AfterAnswer::Interrupt => return Box::pin(self.interrupted()).await,
                AfterAnswer::Park => return Ok(RunOutcome::Waiting(Vec::new())),
                AfterAnswer::Finish => {
                    if !Box::pin(self.linger(kind)).await? {
                        return Ok(RunOutcome::Answered);
                    }
                }
            }
        }
        Err(Error::new(
            ErrorKind::StepLimit,
            format!("the steps of the run are used up ({max_steps}); continue it, or allow more"),
        ))
    }
}
