//! The loop of a run: the only place where deltas, outcomes, messages of the user and the
//! cancellation meet.
//!
//! A run recovers what an earlier one left open, makes steps until an answer, an error or a
//! cancellation ends it, and then waits for the calls in the background. While a queue of events
//! waits for its receiver, the run reads neither deltas nor updates of calls.

mod spend;
mod stop;

use std::mem::take;
use std::time::Duration;

use silcrow_context::GrowingContext;
use silcrow_event::{Event, Usage};
use silcrow_exec::{Budget, CancellationToken, Scope, SpendingExhausted};
use silcrow_provider::{Delta, Request};
use tokio::time::{Instant, sleep};

use crate::admission::check;
use crate::background::BackgroundTurns;
use crate::connection::ModelConnection;
use crate::ending::{AfterAnswer, FailedAnswers, FinishedAnswer};
use crate::error::{Error, ErrorKind};
use crate::inbox::{Inbox, SentMessage};
use crate::log::Log;
use crate::metered::unsaved;
use crate::outcome::RunOutcome;
use crate::outlet::Outlet;
use crate::parts::AgentParts;
use crate::reader::AnswerEnd;
use crate::recover::{OpenCall, recover};
use crate::repeat::repeat_calls;
use crate::repetition::RepeatedCalls;
use crate::request::system;
use crate::runner::runner;
use crate::sink::OutputSink;
use crate::turn::Turn;

/// Runs an agent from a prompt to an answer. The scope names a conversation and holds a budget.
pub(crate) async fn run<'a>(
    parts: &'a AgentParts,
    scope: &'a Scope,
    prompt: &str,
    inbox: &'a Inbox,
    outlet: &'a mut dyn Outlet,
) -> Result<RunOutcome, Error> {
    check(scope, prompt)?;
    AgentRun::open(parts, scope, inbox, outlet).await?.answer(prompt).await
}

/// The state of a run.
struct AgentRun<'a> {
    parts: &'a AgentParts,
    scope: &'a Scope,
    cancel: &'a CancellationToken,
    budget: Budget,
    inbox: &'a Inbox,
    sink: OutputSink<'a>,
    connection: ModelConnection<'a>,
    /// The stable text of the system message.
    system: String,
    /// The messages of the log as far as it was read.
    context: Box<dyn GrowingContext + 'a>,
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
}

impl<'a> AgentRun<'a> {
    async fn open(
        parts: &'a AgentParts,
        scope: &'a Scope,
        inbox: &'a Inbox,
        outlet: &'a mut dyn Outlet,
    ) -> Result<Self, Error> {
        let log = Log::open(parts, scope).await?;
        let budget = match &scope.budget {
            Some(budget) => budget.clone(),
            None => parts.budget(scope),
        };
        Ok(Self {
            parts,
            scope,
            cancel: &scope.cancellation,
            inbox,
            turn: log.last_turn(),
            sink: OutputSink::new(log, budget.clone(), outlet),
            budget,
            connection: ModelConnection::new(&*parts.provider, parts.options.mode),
            system: system(parts),
            context: parts.context.begin(),
            background: BackgroundTurns::default(),
            total: Usage::default(),
            has_unread: false,
            is_answered: false,
            overspent: None,
            failed: FailedAnswers::default(),
            repeated: RepeatedCalls::default(),
        })
    }

    /// Runs from the prompt to the end of the run.
    async fn answer(&mut self, prompt: &str) -> Result<RunOutcome, Error> {
        let mut ended = self.steps(prompt).await;
        self.connection.close().await;
        if let Err(error) = &ended {
            self.sink.pass(self.turn, error.to_event());
        }
        // A run that failed does not wait for its calls in the background.
        let why = ended.as_ref().err().map(|_| "the run failed");
        let stopped = self.drain(why).await;
        match (&ended, stopped) {
            (Ok(RunOutcome::Answered), Ok(true)) => ended = self.interrupted().await,
            (Ok(_), Err(error)) => {
                self.sink.pass(self.turn, error.to_event());
                ended = Err(error);
            }
            _ => {}
        }
        if matches!(ended, Ok(RunOutcome::Answered)) {
            self.sink.pass(self.turn, Event::End);
        }
        self.sink.flush().await;
        ended
    }

    async fn steps(&mut self, prompt: &str) -> Result<RunOutcome, Error> {
        for (turn, open) in recover(&self.sink.log, &self.parts.tools).await? {
            let ran = repeat_calls(self.parts, self.scope, turn, &open, &mut self.sink);
            let mut ran = ran.await;
            let answer =
                |open: &OpenCall| ran.remove(open.call.id()).unwrap_or_else(|| open.outcome());
            let results = open.iter().map(answer).map(Event::Result).collect();
            self.sink.store(turn, results).await?;
        }
        let max_steps = self.parts.options.max_steps.max(1);
        let mut prompts = vec![Event::user(prompt)];
        // An earlier run stored this prompt, and ended before anything followed it (P-28).
        prompts.retain(|prompt| !self.sink.log.ends_with(prompt));
        for step in 1..=max_steps {
            // Until its first request, a run has no turn that a message could belong to.
            while step > 1
                && let Some(message) = self.inbox.pop()
            {
                store(message, self.turn, &mut self.sink).await?;
            }
            self.turn += 1;
            self.sink.store(self.turn, take(&mut prompts)).await?;
            // One request is reserved for each agent above this one, so that it can still answer.
            let left = self.budget.take_request(self.scope.agent_path.len() as u32)?;
            let is_last = left == 0 || step == max_steps;
            let after = self.turn(is_last).await;
            match self.after_step(after).await? {
                AfterAnswer::Ask => {}
                AfterAnswer::Interrupt => return self.interrupted().await,
                AfterAnswer::Finish if is_last => return Ok(RunOutcome::Answered),
                AfterAnswer::Finish if !self.has_unread && self.inbox.close_if_empty() => {
                    return Ok(RunOutcome::Answered);
                }
                AfterAnswer::Finish => {}
            }
        }
        Err(Error::new(
            ErrorKind::StepLimit,
            format!("the steps of the run are used up ({max_steps}); continue it, or allow more"),
        ))
    }

    /// Makes one request, reads its answer and runs the calls in it.
    async fn turn(&mut self, mut last: bool) -> Result<AfterAnswer, Error> {
        let begin = self.sink.log.entries().len();
        let (request, mut metered) = self.paid_request(&mut last).await?;
        self.has_unread = false;
        match self.ask(request).await {
            Ok(Some(Ok(()))) => {}
            Ok(Some(Err(error))) => {
                metered.fail(&error);
                self.measure(metered).await?;
                return Err(error.into());
            }
            stopped => {
                metered.abandon().await.map_err(unsaved)?;
                return stopped.map(|_| AfterAnswer::Interrupt);
            }
        }
        let runner = runner(self.parts, self.scope, &self.sink.log, self.turn);
        let mut turn = Turn::new(self.parts, runner, self.turn);
        let patience = sleep(Duration::ZERO);
        let mut read_until = None;
        let budget = self.budget.clone();
        let expired = budget.expired();
        tokio::pin!(patience, expired);
        while turn.is_open() || self.connection.is_answering() {
            let is_behind = self.sink.is_behind();
            tokio::select! {
                biased;
                () = self.cancel.cancelled() => {
                    // All calls are stopped before the loop waits for anything.
                    turn.stop(self.why(), AnswerEnd::Cancelled, &mut self.sink);
                    self.background.stop(self.why(), &mut self.sink).await?;
                }
                message = self.inbox.next() => {
                    self.has_unread = true;
                    let drops_calls = message.drops_calls;
                    store(message, self.turn, &mut self.sink).await?;
                    if drops_calls {
                        turn.drop_calls(&mut self.sink);
                    }
                }
                () = self.sink.flush(), if is_behind => {}
                delta = self.connection.next(), if self.connection.is_answering() && !is_behind => {
                    metered.push(delta.as_ref());
                    if turn.is_read() {
                        count(&budget, &delta);
                    }
                    turn.push(delta, &mut self.sink);
                }
                event = turn.next(), if !is_behind => turn.apply(event, &mut self.sink),
                event = self.background.next(), if !is_behind => {
                    self.background.apply(event, &mut self.sink).await?;
                }
                () = &mut patience, if !turn.is_read() && turn.reads_report => {
                    turn.reads_report = false;
                }
                exhausted = &mut expired, if turn.is_open() => {
                    self.exhausted(&mut turn, exhausted).await?;
                }
            }
            turn.settle(last, &mut self.sink).await?;
            if turn.is_open()
                && let Some(exhausted) = metered.check(&budget).await.map_err(unsaved)?
            {
                self.exhausted(&mut turn, exhausted).await?;
                turn.settle(last, &mut self.sink).await?;
            }
            if !turn.is_read() {
                let until = *read_until.get_or_insert_with(Instant::now) + turn.patience();
                if patience.deadline() != until {
                    patience.as_mut().reset(until);
                }
            }
            if !turn.reads_report {
                self.connection.hang_up().await;
            }
        }

        let continues = turn.continues();
        let (before, own) = self.sink.log.entries().split_at(begin);
        let own: Vec<_> = own.iter().filter(|entry| entry.turn == Some(self.turn)).collect();
        let fault = turn.reader.fault(before, &own, self.is_answered);
        let repetition = self.repeated.push(&own);
        self.is_answered |= turn.reader.is_answered() && fault.is_none();
        let answer = FinishedAnswer {
            turn: self.turn,
            end: turn.reader.take_end(),
            continues,
            has_begun: turn.reader.has_begun(),
            fault,
            is_last: last,
        };
        self.measure(metered).await?;
        if turn.is_running() {
            self.background.push(turn);
        } else {
            turn.drain(&mut self.sink).await;
        }
        let after = self
            .failed
            .follow(answer, &self.parts.options, &mut self.sink, &mut self.connection)
            .await?;
        if after == AfterAnswer::Ask
            && let Some(notice) = repetition?
        {
            self.sink.store(self.turn, vec![notice]).await?;
        }
        Ok(after)
    }

    /// Makes the request of a step. Returns `None` if the run was cancelled meanwhile.
    async fn ask(
        &mut self,
        request: Request,
    ) -> Result<Option<Result<(), silcrow_provider::Error>>, Error> {
        let asked = self.connection.ask(request);
        tokio::pin!(asked);
        loop {
            tokio::select! {
                biased;
                () = self.cancel.cancelled() => return Ok(None),
                exhausted = self.budget.expired() => return Err(exhausted.into()),
                message = self.inbox.next() => {
                    self.has_unread = true;
                    store(message, self.turn, &mut self.sink).await?;
                }
                asked = &mut asked => return Ok(Some(asked)),
            }
        }
    }
}

/// Stores a message of the person in a turn, and tells the sender.
async fn store(message: SentMessage, turn: u32, sink: &mut OutputSink<'_>) -> Result<(), Error> {
    sink.store(turn, vec![Event::steer(message.text)]).await?;
    // The sender may have left.
    let _ = message.stored.send(());
    Ok(())
}

/// Adds the bytes that the model writes to the budget.
fn count(budget: &Budget, delta: &Option<Result<Delta, silcrow_provider::Error>>) {
    if let Some(Ok(Delta::Text(text) | Delta::Reasoning(text))) = delta {
        budget.add_bytes(text.len() as u64);
    }
}
