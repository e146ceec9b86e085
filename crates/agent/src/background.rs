//! Calls of earlier turns that run in the background (P-24).
//!
//! A turn enters the background when its answer is complete and one of its calls still runs. It is
//! drained and removed when its last call has ended.

use std::future::pending;

use futures_util::FutureExt as _;
use futures_util::future::select_all;
use silcrow_exec::DriverEvent;

use crate::error::Error;
use crate::reader::AnswerEnd;
use crate::sink::OutputSink;
use crate::step_kind::StepKind;
use crate::turn::Turn;

/// The turns whose calls run in the background.
#[derive(Default)]
pub(crate) struct BackgroundTurns(Vec<Turn>);

impl BackgroundTurns {
    /// Adds a turn whose calls still run.
    pub(crate) fn push(&mut self, turn: Turn) {
        self.0.push(turn);
    }

    /// Returns whether nothing is left to do in any of the turns but to answer questions.
    pub(crate) fn is_parked(&self) -> bool {
        self.0.iter().all(Turn::is_parked)
    }

    /// Removes and returns the turns, in their order.
    pub(crate) fn take(&mut self) -> Vec<Turn> {
        self.0.sort_by_key(Turn::number);
        std::mem::take(&mut self.0)
    }

    pub(crate) fn is_running(&self) -> bool {
        self.0.iter().any(Turn::is_running)
    }

    /// Waits for the next event of a call, and returns the position of its turn. Cancel-safe.
    pub(crate) async fn next(&mut self) -> (usize, DriverEvent) {
        if self.0.is_empty() {
            return pending().await;
        }
        let nexts = self.0.iter_mut().map(|turn| turn.next().boxed());
        let (event, index, _) = select_all(nexts).await;
        (index, event)
    }

    /// Takes an event of a call.
    pub(crate) async fn apply(
        &mut self,
        (index, event): (usize, DriverEvent),
        sink: &mut OutputSink<'_>,
    ) -> Result<(), Error> {
        let turn = &mut self.0[index];
        turn.apply(event, sink);
        turn.settle(StepKind::Ordinary, sink).await?;
        if !turn.is_running() {
            self.0.swap_remove(index).drain(sink).await;
        }
        Ok(())
    }

    /// Stops the calls, all of them at once.
    pub(crate) async fn stop(&mut self, why: &str, sink: &mut OutputSink<'_>) -> Result<(), Error> {
        for turn in &mut self.0 {
            turn.stop(why, AnswerEnd::Cancelled, sink);
        }
        for turn in &mut self.0 {
            turn.settle(StepKind::Ordinary, sink).await?;
        }
        Ok(())
    }

    /// Waits until the calls that were stopped have ended.
    pub(crate) async fn drain(&mut self, sink: &mut OutputSink<'_>) {
        for mut turn in self.0.drain(..) {
            turn.drain(sink).await;
        }
    }
}
