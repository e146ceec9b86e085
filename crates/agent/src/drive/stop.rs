//! The stops of a run: a limit, a cancellation, and the calls in the background.
//!
//! This module does not know why a run ends well.

use silcrow_event::Event;
use silcrow_exec::BudgetExhausted;

use super::AgentRun;
use crate::error::Error;
use crate::outcome::RunOutcome;
use crate::reader::AnswerEnd;
use crate::turn::Turn;

/// The state of the calls in the background at the end of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Drained {
    /// All have ended.
    Ended,
    /// The run was cancelled, and all have ended.
    Stopped,
    /// Those that are left wait for answers.
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

    /// Waits for the calls in the background; with a reason, stops them first. Calls that wait for
    /// answers stay.
    pub(super) async fn drain(&mut self, why: Option<&str>) -> Result<Drained, Error> {
        if let Some(why) = why {
            self.background.stop(why, &mut self.sink).await?;
        }
        let mut drained = Drained::Ended;
        while self.background.is_running() {
            if self.background.is_parked() && !self.cancel.is_cancelled() {
                return Ok(Drained::Parked);
            }
            tokio::select! {
                biased;
                () = self.cancel.cancelled() => {
                    self.background.stop(self.why(), &mut self.sink).await?;
                    drained = Drained::Stopped;
                }
                () = self.sink.flush(), if self.sink.is_behind() => {}
                event = self.background.next(), if !self.sink.is_behind() => {
                    self.background.apply(event, &mut self.sink).await?;
                }
                exhausted = self.budget.expired() => {
                    self.background.stop(&exhausted.to_string(), &mut self.sink).await?;
                }
            }
        }
        self.background.drain(&mut self.sink).await;
        Ok(drained)
    }

    /// Emits that the run is stopped, and then stores it.
    pub(super) async fn interrupted(&mut self) -> Result<RunOutcome, Error> {
        let content = self.why().to_owned();
        self.sink.pass(self.turn, Event::Interrupt { reason: content.clone() });
        self.sink.store(self.turn, vec![Event::Cancelled { content }]).await?;
        Ok(RunOutcome::Interrupted)
    }

    /// Returns the reason of a cancellation, which names the caller: a person or another agent.
    pub(super) fn why(&self) -> &'static str {
        match self.scope.agent_path.is_empty() {
            true => "the person stopped the run",
            false => "the agent that called stopped this run",
        }
    }
}
