//! The rollbacks that an earlier process left unfinished (P-32).
//!
//! The log says which calls are in a transaction that has no end, and how they ended; the mark of the
//! start of each says how it is taken back. So neither the plan nor the model is needed. A later
//! process stores its part like the earlier one, and a third one can finish it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use silcrow_event::{Call, CallResult, Event, ResultOrigin, ResultStatus};
use silcrow_exec::{CallDriver, CallUpdate, DriverEvent};
use silcrow_plan::{Plan, PlanUpdate, RollbackCall, undo_id};
use silcrow_store::{Error, imported};
use silcrow_tool::{CancellationToken, Scope, Toolbox};

use crate::log::Log;
use crate::parts::AgentParts;
use crate::runner::{approval, unmarked};

/// A transaction of a log that has neither succeeded nor been rolled back.
pub(crate) struct UnfinishedRollback {
    pub(crate) turn: u32,
    id: String,
    calls: Vec<RollbackCall>,
    /// The calls that take others back and that the log has already.
    stored: BTreeSet<String>,
}

/// One turn according to the log.
#[derive(Default)]
struct TurnCalls<'l> {
    calls: Vec<&'l Call>,
    /// The result of each call and of each transaction that has ended, with its place.
    results: BTreeMap<&'l str, (usize, &'l CallResult)>,
    /// The calls that take others back.
    undoing: BTreeSet<&'l str>,
}

impl UnfinishedRollback {
    /// Finds the transactions of a log whose calls have to be rolled back, except in `left_out`
    /// turns. Every call of them has a result.
    pub(crate) async fn find(log: &Log<'_>, left_out: &[u32]) -> Result<Vec<Self>, Error> {
        let mut turns: BTreeMap<u32, TurnCalls<'_>> = BTreeMap::new();
        let mut has_any = false;
        for (at, (entry, position)) in log.positioned().enumerate() {
            let Some(turn) = entry.turn.filter(|turn| !left_out.contains(turn)) else { continue };
            match &entry.event {
                Event::Call(call) => {
                    let Some(action) = call.action() else { continue };
                    let calls = turns.entry(turn).or_default();
                    if action.undoes.is_some() {
                        calls.undoing.insert(call.id());
                    } else if !action.transactions.is_empty() {
                        // Imported calls never ran here.
                        if !has_any
                            && position <= imported::head(log.store(), log.conversation()).await?
                        {
                            continue;
                        }
                        has_any = true;
                        calls.calls.push(call);
                    }
                }
                Event::Result(result) => {
                    // The result of a skipped transaction precedes the calls in it.
                    if let Some(id) = &result.id {
                        turns.entry(turn).or_default().results.insert(id, (at, result));
                    }
                }
                _ => {}
            }
        }
        let mut found = Vec::new();
        for (turn, calls) in &turns {
            found.extend(calls.unfinished(log, *turn).await?);
        }
        Ok(found)
    }

    /// Begins to take the calls back. No cancellation stops that for half a minute.
    pub(crate) fn begin(
        self,
        parts: &AgentParts,
        tools: &Arc<Toolbox>,
        scope: &Scope,
        log: &Log<'_>,
    ) -> RunningRollback {
        let Self { turn, id, calls, stored } = self;
        let runner = unmarked(parts, tools, &scope.clone().with_repeated(), log, turn);
        let plan = Plan::of_rollback(parts.options.plan, &id, WHY, calls);
        let driver = CallDriver::new(plan, runner.without_wall_questions());
        let cancel = scope.cancellation.clone();
        RunningRollback { driver, stored, cancel, is_stopped: false, report: None }
    }
}

/// A rollback that goes on.
pub(crate) struct RunningRollback {
    driver: CallDriver,
    stored: BTreeSet<String>,
    cancel: CancellationToken,
    is_stopped: bool,
    report: Option<String>,
}

impl RunningRollback {
    /// Returns the next events, which are to be stored before this is called again; `None` at the end.
    pub(crate) async fn next(&mut self) -> Option<Vec<Event>> {
        loop {
            let events = self.updates();
            if !events.is_empty() {
                return Some(events);
            }
            self.driver.start();
            if self.driver.plan().has_updates() {
                continue;
            }
            if !self.driver.plan().is_running() {
                return None;
            }
            let event = tokio::select! {
                biased;
                () = self.cancel.cancelled(), if !self.is_stopped => {
                    self.is_stopped = true;
                    self.driver.cancel("cancelled", "cancelled: the run was stopped");
                    continue;
                }
                event = self.driver.next() => event,
            };
            if let Some(DriverEvent::Reported(update)) = event
                && let Some(event) = self.reported(update)
            {
                return Some(vec![event]);
            }
        }
    }

    /// Returns the outcome of the transaction, once it has ended.
    pub(crate) fn into_report(self) -> Option<String> {
        self.report
    }

    fn reported(&self, update: CallUpdate) -> Option<Event> {
        match update {
            CallUpdate::Changed(changes) => Some(Event::Changes(changes)),
            update => approval(update),
        }
    }

    fn updates(&mut self) -> Vec<Event> {
        let mut events = Vec::new();
        while let Some(update) = self.driver.plan_mut().next_update() {
            let id = match update {
                PlanUpdate::Instance(call) => {
                    if !self.stored.contains(call.id()) {
                        events.push(Event::Call(call));
                    }
                    continue;
                }
                PlanUpdate::End { id, .. } => id,
                PlanUpdate::BlockEnd { id, .. } => {
                    let outcome = self.driver.plan().outcome(&id);
                    self.report = outcome.map(|end| format!("`{id}`: {}", end.failure_text()));
                    id
                }
                _ => continue,
            };
            events.extend(self.driver.plan().outcome(&id).cloned().map(Event::Result));
        }
        events
    }
}

impl TurnCalls<'_> {
    async fn unfinished(&self, log: &Log<'_>, turn: u32) -> Result<Vec<UnfinishedRollback>, Error> {
        // The outermost transaction without an end, of each call that is in one.
        let mut open: BTreeMap<&str, Vec<(usize, RollbackCall)>> = BTreeMap::new();
        for call in &self.calls {
            let around = call.action().map(|action| &*action.transactions).unwrap_or_default();
            let outermost = around.iter().find(|id| !self.results.contains_key(&***id));
            let Some(outermost) = outermost else { continue };
            let calls = open.entry(outermost).or_default();
            calls.extend(self.call_to_undo(log, turn, call).await?);
        }
        let stored = || self.undoing.iter().map(|id| (*id).to_owned()).collect();
        let rollback = |(id, mut calls): (&str, Vec<(usize, RollbackCall)>)| {
            calls.sort_by_key(|(at, _)| std::cmp::Reverse(*at));
            let calls = calls.into_iter().map(|(_, call)| call).collect();
            UnfinishedRollback { turn, id: id.to_owned(), calls, stored: stored() }
        };
        Ok(open.into_iter().map(rollback).collect())
    }

    /// Returns a call that completed, or may have, and that is not taken back yet, with the place of
    /// its result.
    async fn call_to_undo(
        &self,
        log: &Log<'_>,
        turn: u32,
        call: &Call,
    ) -> Result<Option<(usize, RollbackCall)>, Error> {
        if self.results.contains_key(&*undo_id(call.id())) {
            return Ok(None);
        }
        let Some(undo) = log.undo_mark(turn, call.id()).await? else { return Ok(None) };
        let (at, result) = match self.results.get(call.id()) {
            Some((at, result)) => (*at, Some(*result)),
            None => (usize::MAX, None),
        };
        let has_failed = result.is_none_or(|it| it.status() == ResultStatus::Failure);
        // A tool that said that it failed has not completed, but it may have done a part.
        let is_told = result.is_some_and(|it| it.origin() == ResultOrigin::Tool);
        if has_failed && is_told && undo.compensation().is_some() {
            return Ok(None);
        }
        let output = result.filter(|_| !has_failed).and_then(|result| result.value());
        Ok(Some((
            at,
            RollbackCall {
                id: call.id().to_owned(),
                kind: call.action().map(|action| action.kind).unwrap_or_default(),
                name: call.name().to_owned(),
                undo,
                output: output.map(|output| output.into_owned()),
            },
        )))
    }
}

/// The reason why a transaction failed that an earlier process left unfinished.
const WHY: &str = "interrupted: the run ended before the transaction did";
