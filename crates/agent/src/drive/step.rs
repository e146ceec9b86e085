//! One step of a run: a request, its answer, and the calls in it.
//!
//! This is the only place where deltas, outcomes, messages of the user and the cancellation meet.

use std::sync::Arc;
use std::time::Duration;

use silcrow_event::{CallKind, Event};
use silcrow_exec::{Budget, BudgetExhausted};
use silcrow_native::NativeFamily;
use silcrow_provider::{CallDelta, Delta, Request};
use silcrow_tool::WakeGated;
use tokio::time::{Instant, sleep};

use super::{AgentRun, store};
use crate::ending::{AfterAnswer, FinishedAnswer};
use crate::error::Error;
use crate::fault::AnswerFault;
use crate::metered::{MeteredRequest, unsaved};
use crate::native_forms::NativeForms;
use crate::reader::AnswerEnd;
use crate::request::system;
use crate::runner::{runner, within_window};
use crate::step_kind::StepKind;
use crate::trace;
use crate::turn::Turn;

impl AgentRun<'_> {
    /// Makes one request, reads its answer and runs the calls in it. In the last step of a run no
    /// call starts.
    pub(super) async fn turn(&mut self, mut step: StepKind) -> Result<AfterAnswer, Error> {
        let joined = self.read_tools().await;
        if let Some(content) = joined_notice(&joined).filter(|_| self.asked > 0) {
            // It follows the results of the answer before.
            let before = self.turn.saturating_sub(1);
            Box::pin(self.sink.store_notice(before, Event::Notice { content })).await?;
        }
        let begin = self.sink.log.entries().len();
        let (request, mut metered) = Box::pin(self.paid_request(&mut step)).await?;
        // The request has the results so far.
        self.has_unread = false;
        self.sink.log.take_message();
        trace::asks(self.turn, request.messages.len(), self.asked);
        match Box::pin(self.ask(request)).await {
            Ok(Some(Ok(()))) => {}
            Ok(Some(Err(error))) => {
                trace::request_failed(self.turn, &error);
                metered.fail(&error);
                Box::pin(self.measure(metered)).await?;
                return Err(error.into());
            }
            stopped => {
                Box::pin(metered.abandon()).await.map_err(unsaved)?;
                return stopped.map(|_| AfterAnswer::Interrupt);
            }
        }
        Box::pin(self.begin_summary()).await?;
        let tools = self.tools.all();
        let runner = runner(self.parts, tools, self.scope, &self.sink.log, self.turn);
        // The window may have been learned from an error.
        let limits = within_window(*runner.limits(), self.window.limits().context);
        let runner = runner.with_limits(limits);
        let tools = Arc::clone(tools);
        let forms = self.native_forms(self.families.clone());
        let mut turn = Box::new(Turn::new(self.parts, &tools, runner, self.turn, forms));
        turn.opens_thought = self.opens_thought;
        self.finish(turn, begin, Some(metered), step).await
    }

    /// Reads a turn to its end and runs its calls. `begin` is the index of its first entry. A turn
    /// that another run has read has no request to pay.
    pub(super) async fn finish(
        &mut self,
        mut turn: Box<Turn>,
        begin: usize,
        mut metered: Option<Box<MeteredRequest>>,
        step: StepKind,
    ) -> Result<AfterAnswer, Error> {
        let patience = sleep(Duration::ZERO);
        let mut read_until = None;
        let budget = self.budget.clone();
        let (expired, cancelled) = (budget.expired(), self.cancel.cancelled());
        tokio::pin!(patience, expired, cancelled);
        // They come once or never, and a piece of the answer does not wake them.
        let (mut expired, mut cancelled) = (WakeGated::new(expired), WakeGated::new(cancelled));
        // A turn that is stopped still takes back the changes of its transactions.
        let (mut is_parked, mut is_stopped) = (false, false);
        while turn.is_open() || self.connection.is_answering() {
            // A message that is not stored yet may change the remaining work.
            if self.is_parked(&turn) && self.inbox.close_if_empty() {
                is_parked = true;
                break;
            }
            let is_behind = self.sink.is_behind();
            tokio::select! {
                biased;
                () = &mut cancelled, if !is_stopped => {
                    is_stopped = true;
                    // All calls are stopped before the loop waits for anything.
                    turn.stop(&self.why(), AnswerEnd::Cancelled, &mut self.sink);
                    Box::pin(self.background.stop(&self.why(), &mut self.sink)).await?;
                }
                message = self.inbox.next() => {
                    self.has_unread = true;
                    let drops_calls = message.drops_calls;
                    Box::pin(store(message, self.scope, self.turn, &mut self.sink)).await?;
                    if drops_calls {
                        turn.drop_calls(&mut self.sink);
                    }
                }
                () = self.sink.flush(), if is_behind => {}
                delta = self.connection.next(), if self.connection.is_answering() && !is_behind => {
                    if let Some(metered) = &mut metered {
                        metered.push(delta.as_ref());
                    }
                    if turn.is_read() {
                        count(&budget, &delta);
                    }
                    turn.push(delta, &mut self.sink);
                }
                event = async { Box::pin(turn.next()).await }, if !is_behind && turn.has_work() => turn.apply(event, &mut self.sink),
                event = self.background.next(), if !is_behind => {
                    Box::pin(self.background.apply(event, &mut self.sink)).await?;
                }
                () = &mut patience, if !turn.is_read() && turn.reads_report => {
                    turn.reads_report = false;
                }
                exhausted = &mut expired, if turn.is_open() && !is_stopped => {
                    is_stopped = true;
                    Box::pin(self.exhausted(&mut turn, exhausted)).await?;
                }
                delta = self.summary.next() => Box::pin(self.push_summary(delta)).await?,
            }
            if !turn.has_settled() {
                Box::pin(turn.settle(step, &mut self.sink)).await?;
            }
            // A session can stop an answer, so that the failure is sent at once.
            if self.connection.has_session()
                && turn.writes_in_vain(&self.sink.log.entries()[begin..])
            {
                turn.read_no_more(&mut self.sink);
                Box::pin(turn.settle(step, &mut self.sink)).await?;
            }
            if turn.is_open()
                && !is_stopped
                && let Some(exhausted) = check(&budget, metered.as_deref_mut()).await?
            {
                is_stopped = true;
                Box::pin(self.exhausted(&mut turn, exhausted)).await?;
                Box::pin(turn.settle(step, &mut self.sink)).await?;
            }
            if !turn.is_read() {
                let until = *read_until.get_or_insert_with(Instant::now) + turn.patience();
                if patience.deadline() != until {
                    patience.as_mut().reset(until);
                }
            }
            if !turn.reads_report {
                Box::pin(self.connection.hang_up()).await;
            }
        }
        if is_parked {
            Box::pin(self.measure(metered)).await?;
            self.background.push(*turn);
            return Ok(AfterAnswer::Park);
        }

        let continues = turn.continues();
        let (before, own) = self.sink.log.entries().split_at(begin);
        let own: Vec<_> = own.iter().filter(|entry| entry.turn == Some(self.turn)).collect();
        let fault = turn.reader.fault(before, &own, self.is_answered, self.failed.asks_for_end());
        if self.families.is_empty() && fault.as_ref().is_some_and(AnswerFault::may_be_native) {
            self.families = self.parts.options.calls.frequent();
        }
        self.opens_thought |= turn.reader.has_unopened_thought();
        // A model that did not think this time wrote its answer where a thought was expected.
        self.opens_thought &= fault != Some(AnswerFault::Thoughts);
        let repetition = self.repeated.push(&own);
        self.is_answered |= turn.reader.is_answered() && fault.is_none();
        let answer = FinishedAnswer {
            turn: self.turn,
            end: turn.reader.take_end(),
            continues,
            has_begun: turn.reader.has_begun(),
            lacks_end: turn.reader.lacks_end()
                && self.tools.all().iter_as(CallKind::Tool).next().is_some(),
            fault,
            is_last: step.is_last(),
        };
        Box::pin(self.measure(metered)).await?;
        if turn.is_running() {
            self.background.push(*turn);
        } else {
            Box::pin(turn.drain(&mut self.sink)).await;
        }
        let (options, sink, connection) =
            (&self.parts.options, &mut self.sink, &mut self.connection);
        let after = Box::pin(self.failed.follow(answer, options, sink, connection)).await?;
        if after == AfterAnswer::Ask
            && let Some(notice) = repetition?
        {
            Box::pin(self.sink.store_notice(self.turn, notice)).await?;
        }
        trace::answered(self.turn, after);
        Ok(after)
    }

    /// Returns the forms of these families, with the schemas that a turn needs to read them.
    pub(super) fn native_forms(&mut self, families: Vec<NativeFamily>) -> NativeForms {
        match families.is_empty() {
            true => NativeForms::default(),
            false => NativeForms { families, schemas: self.tools.schemas() },
        }
    }

    /// Reads the current tools, describes them to the model from this step on, and returns the
    /// names of those that have joined.
    pub(super) async fn read_tools(&mut self) -> Vec<String> {
        let joined = tokio::select! {
            biased;
            () = self.cancel.cancelled() => None,
            joined = self.tools.read(self.parts) => joined,
        };
        let Some(joined) = joined else { return Vec::new() };
        self.system = system(self.parts, self.tools.all());
        joined
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
                    store(message, self.scope, self.turn, &mut self.sink).await?;
                }
                asked = &mut asked => return Ok(Some(asked)),
            }
        }
    }
}

/// Returns the notice that tools have joined, for example because their server was slow to start.
fn joined_notice(names: &[String]) -> Option<String> {
    let shown: Vec<_> = names.iter().take(MOST_NAMES).map(|name| format!("`{name}`")).collect();
    let more = match names.len().saturating_sub(MOST_NAMES) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let list = shown.join(", ");
    let notice = format!("You have new tools: {list}{more}. The list of tools describes them.");
    (!names.is_empty()).then_some(notice)
}

/// The number of tools that a notice names.
const MOST_NAMES: usize = 20;

/// Returns the limit that the run has reached, if any; the cost of the answer so far counts, too.
async fn check(
    budget: &Budget,
    metered: Option<&mut MeteredRequest>,
) -> Result<Option<BudgetExhausted>, Error> {
    match metered {
        Some(metered) => metered.check(budget).await.map_err(unsaved),
        None => Ok(budget.check().err()),
    }
}

/// Adds the bytes that the model writes to the budget.
pub(super) fn count(budget: &Budget, delta: &Option<Result<Delta, silcrow_provider::Error>>) {
    if let Some(Ok(
        Delta::Text(text) | Delta::Reasoning(text) | Delta::Call(CallDelta::Args(text)),
    )) = delta
    {
        budget.add_bytes(text.len() as u64);
    }
}
