//! Recovery of an earlier run's open work: calls without results, interrupted loops, and unfinished
//! transactions.
//!
//! This module stores the missing results.

use silcrow_event::Event;

use super::AgentRun;
use crate::error::Error;
use crate::interrupted_loop::results_of_unfinished;
use crate::questions::ParkedTurn;
use crate::recover::{OpenCall, recover};
use crate::repeat::repeat_calls;
use crate::rollback::UnfinishedRollback;

impl AgentRun<'_> {
    /// Gives results to the calls that an earlier run left open, except calls of the `parked` turns
    /// that have not started. Some of them run again.
    pub(super) async fn recover(&mut self, parked: &[ParkedTurn]) -> Result<(), Error> {
        let scope = Some(self.scope);
        for (turn, open) in recover(&self.sink.log, self.tools.all(), parked, scope).await? {
            let ran =
                repeat_calls(self.parts, self.tools.all(), self.scope, turn, &open, &mut self.sink);
            let mut ran = ran.await;
            let answer =
                |open: &OpenCall| ran.remove(open.call.id()).unwrap_or_else(|| open.outcome());
            let results = open.iter().map(answer).map(Event::Result).collect();
            self.sink.store(turn, results).await?;
        }
        let last = self.turn;
        if !parked.iter().any(|parked| parked.turn == last) {
            let own = self.sink.log.entries().iter().filter(|entry| entry.turn == Some(last));
            let results = results_of_unfinished(own.map(|entry| &entry.event));
            self.sink.store(last, results.into_iter().map(Event::Result).collect()).await?;
        }
        self.finish_rollbacks(parked).await
    }

    /// Rolls back unfinished transactions, except in the `parked` turns.
    async fn finish_rollbacks(&mut self, parked: &[ParkedTurn]) -> Result<(), Error> {
        let parked = Vec::from_iter(parked.iter().map(|parked| parked.turn));
        for rollback in UnfinishedRollback::find(&self.sink.log, &parked).await? {
            let turn = rollback.turn;
            let tools = self.tools.all();
            let mut rollback = rollback.begin(self.parts, tools, self.scope, &self.sink.log);
            while let Some(events) = rollback.next().await {
                self.sink.store(turn, events).await?;
            }
        }
        Ok(())
    }
}
