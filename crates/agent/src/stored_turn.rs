//! The part of a turn that the log holds while the turn is read again.
//!
//! A turn is a function of its wire text and of the outcomes of its calls, so reading the text again
//! emits the same events. Those that the log holds are not stored again, and calls whose results it
//! holds are not started again. This module knows which these are. It does not read the text.

use std::collections::{BTreeSet, VecDeque};

use silcrow_event::{ApprovalState, CallResult, Entry, Event};
use silcrow_plan::Plan;

/// The stored events of a turn that its reader has not emitted again yet.
#[derive(Default)]
pub(crate) struct StoredTurn {
    entries: Vec<Entry>,
    /// The results that the plan has not got yet, in the order in which the calls ended.
    outcomes: VecDeque<CallResult>,
    /// The ids of the calls that have a result.
    ended: BTreeSet<String>,
    /// The calls among them that the plan has started.
    begun: BTreeSet<String>,
    /// The calls among them that never started, so that nothing takes them back (P-32).
    unstarted: BTreeSet<String>,
}

impl StoredTurn {
    /// Takes the entries of a turn, in the order of the log.
    pub(crate) fn new(entries: Vec<Entry>) -> Self {
        let outcomes: VecDeque<_> = entries
            .iter()
            .filter_map(|entry| match &entry.event {
                Event::Result(result) => Some(result.clone()),
                _ => None,
            })
            .collect();
        let ended = outcomes.iter().filter_map(|result| result.id.clone()).collect();
        // Only questions without an answer are asked again.
        let answered: BTreeSet<String> = entries.iter().filter_map(answered_question).collect();
        let is_over = |entry: &Entry| match &entry.event {
            Event::Approval(approval) => answered.contains(&approval.id),
            _ => false,
        };
        let entries = entries.into_iter().filter(|entry| !is_over(entry)).collect();
        Self { entries, outcomes, ended, begun: BTreeSet::new(), unstarted: BTreeSet::new() }
    }

    /// Sets which calls never started.
    pub(crate) fn with_unstarted(self, unstarted: BTreeSet<String>) -> Self {
        Self { unstarted, ..self }
    }

    /// Removes and returns the stored entry of an event. The result of a call is the one that is
    /// stored, whatever its words.
    pub(crate) fn take(&mut self, event: &Event) -> Option<Entry> {
        let same = |stored: &Event| match (stored, event) {
            (Event::Result(stored), Event::Result(result)) => stored.id == result.id,
            _ => stored == event,
        };
        let at = self.entries.iter().position(|entry| same(&entry.event))?;
        Some(self.entries.remove(at))
    }

    /// Returns whether the plan has all results that the log holds.
    pub(crate) fn is_over(&self) -> bool {
        self.outcomes.is_empty()
    }

    /// Takes the start of a call, and returns whether the log holds its result. Such a call does not
    /// run.
    pub(crate) fn begin(&mut self, id: &str) -> bool {
        let is_ended = self.ended.contains(id);
        if is_ended {
            self.begun.insert(id.to_owned());
        }
        is_ended
    }

    /// Gives a plan the results of the calls that it has started, in the order of the log, and
    /// returns whether there were any. A result waits for the results before it unless `is_idle`,
    /// when no call before it can start any more.
    pub(crate) fn finish(&mut self, plan: &mut Plan, is_idle: bool) -> bool {
        let mut has_finished = false;
        // A call may have ended without a start, and its result follows from the plan.
        let is_over = |plan: &Plan, result: &CallResult| {
            result.id.as_deref().is_none_or(|id| plan.outcome(id).is_some())
        };
        loop {
            self.outcomes.retain(|result| !is_over(plan, result));
            let is_begun =
                |result: &CallResult| result.id.as_ref().is_some_and(|id| self.begun.contains(id));
            let most = if is_idle && !has_finished { self.outcomes.len() } else { 1 };
            let next = self.outcomes.iter().take(most).position(is_begun);
            let Some(result) = next.and_then(|at| self.outcomes.remove(at)) else {
                return has_finished;
            };
            if let Some(id) = result.id.clone() {
                match self.unstarted.contains(&id) {
                    true => plan.refuse(&id, result),
                    false => plan.finish(&id, result),
                }
            }
            has_finished = true;
        }
    }
}

/// Returns the id of the call whose question an event answers.
fn answered_question(entry: &Entry) -> Option<String> {
    match &entry.event {
        Event::Approval(approval) if approval.state != ApprovalState::Asked => {
            Some(approval.id.clone())
        }
        _ => None,
    }
}
