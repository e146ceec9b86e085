//! The ends of a run: the wait after an answer, a limit, and a cancellation.

use std::time::Duration;

use futures_util::StreamExt as _;
use silcrow_event::Event;
use silcrow_exec::BudgetExhausted;
use tokio::time::sleep;

use super::{AgentRun, store};
use crate::error::Error;
use crate::outcome::RunOutcome;
use crate::reader::AnswerEnd;
use crate::step_kind::StepKind;
use crate::turn::Turn;

/// The state of the calls in the background at the end of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Drained {
    /// All have ended.
    Ended,
    /// The run was cancelled, and all have ended.
    Stopped,
    /// The remaining calls wait for answers.
    Parked,
}

impl AgentRun<'_> {
    /// Stops everything, because the run has reached a limit.
    pub(super) async fn exhausted(
        &mut self,
        turn: &mut Turn,
        exhausted: BudgetExhausted,
    ) -> Result<(), Error> {
        let why = exhausted.to_string();
        turn.stop(&why, AnswerEnd::Badly(exhausted.into()), &mut self.sink);
        self.background.stop(&why, &mut self.sink).await
    }

    /// Waits for the work that remains after an answer: calls in the background, and the model's
    /// summary, for which the next run would have to pay again. Returns whether another step
    /// follows, because a person sent a message meanwhile. No step follows the last one.
    pub(super) async fn linger(&mut self, step: StepKind) -> Result<bool, Error> {
        if self.is_at_work() {
            self.connection.close().await;
            if self.wait_after_answer(step).await? {
                return Ok(false);
            }
        }
        if step.is_last() || !self.has_unread {
            self.close_summary().await?;
            self.sink.refresh().await?;
            self.has_unread |= self.sink.log.take_message();
        }
        Ok(!step.is_last() && (self.has_unread || !self.inbox.close_if_empty()))
    }

    /// Waits until nothing is at work or a message arrives that the run can answer. Returns whether
    /// the run was stopped or its time is up.
    async fn wait_after_answer(&mut self, step: StepKind) -> Result<bool, Error> {
        let budget = self.budget.clone();
        let (expired, patience) = (budget.expired(), sleep(PATIENCE));
        let mut news = self.sink.log.news().fuse();
        tokio::pin!(expired, patience);
        while self.is_at_work() && (step.is_last() || !self.has_unread) {
            tokio::select! {
                biased;
                () = self.cancel.cancelled() => return Ok(true),
                _ = &mut expired => return Ok(true),
                message = self.inbox.next(), if !step.is_last() => {
                    self.has_unread = true;
                    store(message, self.scope, self.turn, &mut self.sink).await?;
                }
                () = self.sink.flush(), if self.sink.is_behind() => {}
                event = self.background.next(), if !self.sink.is_behind() => {
                    self.background.apply(event, &mut self.sink).await?;
                }
                delta = self.summary.next() => self.push_summary(delta).await?,
                () = &mut patience, if !self.background.is_running() => {
                    self.end_summary(Err(Error::interrupted())).await?;
                }
                Some(Ok(_)) = news.next() => self.sink.refresh().await?,
            }
            self.has_unread |= self.sink.log.take_message();
        }
        Ok(false)
    }

    /// Returns whether something is left to wait for after an answer. Calls that wait for answers are
    /// not, and nothing follows on the conversation of an agent that a call runs.
    fn is_at_work(&self) -> bool {
        match self.background.is_running() {
            true => !self.background.is_parked(),
            false => self.summary.open.is_some() && self.scope.agent_path.is_empty(),
        }
    }

    /// Waits for the calls in the background; with a reason, stops them first. Calls that wait for
    /// answers stay.
    pub(super) async fn drain(&mut self, why: Option<&str>) -> Result<Drained, Error> {
        if let Some(why) = why {
            self.background.stop(why, &mut self.sink).await?;
        }
        let (mut drained, mut is_over) = (Drained::Ended, false);
        while self.background.is_running() {
            if self.background.is_parked() && !self.cancel.is_cancelled() {
                return Ok(Drained::Parked);
            }
            tokio::select! {
                biased;
                () = self.cancel.cancelled(), if drained != Drained::Stopped => {
                    self.background.stop(&self.why(), &mut self.sink).await?;
                    drained = Drained::Stopped;
                }
                () = self.sink.flush(), if self.sink.is_behind() => {}
                event = self.background.next(), if !self.sink.is_behind() => {
                    self.background.apply(event, &mut self.sink).await?;
                }
                exhausted = self.budget.expired(), if !is_over => {
                    is_over = true;
                    self.background.stop(&exhausted.to_string(), &mut self.sink).await?;
                }
            }
        }
        self.background.drain(&mut self.sink).await;
        Ok(drained)
    }

    /// Emits that the run is stopped, and then stores it.
    pub(super) async fn interrupted(&mut self) -> Result<RunOutcome, Error> {
        let content = self.why();
        self.sink.pass(self.turn, Event::Interrupt { reason: content.clone() });
        self.sink.store(self.turn, vec![Event::Cancelled { content }]).await?;
        Ok(RunOutcome::Interrupted)
    }

    /// Emits that the run ends between two steps. Nothing is stored, because nothing was cut: the process
    /// that continues the run asks the model next.
    pub(super) fn leave(&mut self) -> RunOutcome {
        let reason = self.why();
        self.sink.pass(self.turn, Event::Interrupt { reason });
        RunOutcome::Interrupted
    }

    /// Stores why the run failed, if the run has stored anything. A log that takes nothing any more has
    /// the reason only in the run's own events.
    pub(super) async fn keep_failure(&mut self, error: &Error) {
        let is_begun = !self.sink.log.entries().is_empty() && !self.hold.is_lost();
        if let Some(failure) = error.to_failure().filter(|_| is_begun) {
            let _ = self.sink.store(self.turn, vec![failure]).await;
        }
    }

    /// Returns the reason of a cancellation, which names the caller: a person or another agent.
    pub(super) fn why(&self) -> String {
        if self.hold.is_lost() {
            return "another process may have taken the conversation over".to_owned();
        }
        let usual = match self.scope.agent_path.is_empty() {
            true => "the person stopped the run",
            false => "the agent that called stopped this run",
        };
        self.inbox.reason().unwrap_or_else(|| usual.to_owned())
    }
}

/// The time for which a run waits for a summary after its answer.
const PATIENCE: Duration = Duration::from_secs(30);
