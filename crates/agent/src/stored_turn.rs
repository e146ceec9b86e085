//! The part of a turn that the log holds while the turn is read again.
//!
//! A turn is a function of its wire text and of the outcomes of its calls, so reading the text
//! again emits the same events. Events that the log holds are not stored again, and calls whose
//! results it holds are not started again. This module compares events with the log; it does not
//! read the text.

use std::collections::{BTreeSet, VecDeque};

use silcrow_event::{ApprovalState, CallResult, Entry, Event};
use silcrow_plan::{Plan, PlanDecision};

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

    /// Removes and returns the stored entry of an event. The stored result of a call counts, even
    /// if its text differs.
    pub(crate) fn take(&mut self, event: &Event) -> Option<Entry> {
        let same = |stored: &Event| match (stored, event) {
            (Event::Result(stored), Event::Result(result)) => stored.id == result.id,
            _ => stored == event,
        };
        let at = self.entries.iter().position(|entry| same(&entry.event))?;
        Some(self.entries.remove(at))
    }

    /// Returns whether the log holds a call or a block that is neither emitted again nor among these events.
    /// Instances and calls that take others back do not count: they follow from the outcomes, which come
    /// later.
    pub(crate) fn has_others_than(&self, written: &[Event]) -> bool {
        let is_written = |event: &Event| match event {
            Event::Call(call) => {
                !call.is_instance() && call.action().is_none_or(|action| action.undoes.is_none())
            }
            Event::Block(_) => true,
            _ => false,
        };
        let stored = self.entries.iter().map(|entry| &entry.event);
        stored.filter(|event| is_written(event)).any(|event| !written.contains(event))
    }

    /// Returns whether the plan has all results that the log holds.
    pub(crate) fn is_over(&self) -> bool {
        self.outcomes.is_empty()
    }

    /// Takes a decision about a call whose result the log holds, and returns whether it is one.
    /// Such a call does not run: it starts as nothing, and if it is awaited, it has stopped.
    pub(crate) fn take_decision(&mut self, decision: &PlanDecision, plan: &mut Plan) -> bool {
        match decision {
            PlanDecision::Start(ready) if self.ended.contains(ready.id()) => {
                self.begun.insert(ready.id().to_owned());
            }
            PlanDecision::Await { id } if self.begun.contains(id) => {
                plan.stopped(id, !self.unstarted.contains(id));
            }
            _ => return false,
        }
        true
    }

    /// Gives a plan the next result of a call that it has started, in the order of the log, and returns
    /// whether there was one. The caller first carries out all decisions that follow from the result
    /// before it: a call that had started before another one ended starts before that here, too.
    pub(crate) fn finish_next(&mut self, plan: &mut Plan) -> bool {
        // A call may have ended without a start, and its result follows from the plan.
        self.outcomes
            .retain(|result| result.id.as_deref().is_some_and(|id| plan.outcome(id).is_none()));
        let is_begun =
            |result: &CallResult| result.id.as_ref().is_some_and(|id| self.begun.contains(id));
        let next = self.outcomes.iter().position(is_begun);
        let Some(result) = next.and_then(|at| self.outcomes.remove(at)) else { return false };
        if let Some(id) = result.id.clone() {
            match self.unstarted.contains(&id) {
                true => plan.refuse(&id, result),
                false => plan.finish(&id, result),
            }
        }
        true
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
