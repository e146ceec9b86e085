//! One request about the calls for several items of a loop (P-30).
//!
//! ```text
//! each[0].mail  asked, or will be ─► the plan says what the loop calls for its other items
//! each[1].mail  waits ───────┐
//! each[2].mail  foreseen ────┴─► one request, and an answer for each
//! ```
//!
//! A call that is *foreseen* has not come yet: nothing of it runs, and nobody is asked about it
//! alone. An answer about it is kept until it comes, and counts if the call then matches the
//! question.

use std::time::Duration;

use silcrow_plan::ReadyCall;
use silcrow_tool::CallContext;

use super::ApprovalQueue;
use super::queued_call::{Question, QueuedCall, RequestState};
use crate::approved::ApprovalSubject;
use crate::call::CheckedCall;

impl ApprovalQueue {
    /// Adds a call that a loop will make for another item.
    pub(crate) fn foresee(&mut self, call: CheckedCall, context: CallContext, max: Duration) {
        let id = call.ready.id();
        if self.given.contains_key(id) || self.calls.iter().any(|waits| waits.is(id)) {
            return;
        }
        self.add(call, context, max).is_foreseen = true;
    }

    /// Takes a call that comes. One that was foreseen keeps its place; any other is returned.
    pub(super) fn take_foreseen(
        &mut self,
        call: CheckedCall,
        context: &CallContext,
        must_ask: bool,
    ) -> Option<CheckedCall> {
        let is_it = |waits: &QueuedCall| waits.is_foreseen && waits.is(call.ready.id());
        let Some(at) = self.calls.iter().position(is_it) else { return Some(call) };
        if self.calls[at].call.ready.args() != call.ready.args() {
            let id = call.ready.id().to_owned();
            self.withdraw(&id);
            return Some(call);
        }
        let waits = &mut self.calls[at];
        (waits.call, waits.context) = (call, context.clone());
        (waits.must_ask, waits.is_foreseen) = (must_ask, false);
        None
    }

    /// Returns the id of a call that the approver will be asked about, if it is the first one of a loop
    /// whose other items nobody has looked for.
    pub(super) fn new_loop(&mut self, at: usize) -> Option<String> {
        let waits = &self.calls[at];
        let ready = &waits.call.ready;
        let can_be_grouped = self.takes_items && waits.can_be_grouped();
        let (true, Some(item_of)) = (can_be_grouped, ready.item_of()) else { return None };
        let around = ready.id().rsplit_once('[').map_or("", |(around, _)| around);
        let is_new = self.foreseen.insert(format!("{around} {item_of}"));
        is_new.then(|| ready.id().to_owned())
    }

    /// Announces the request about a call, together with the calls for other items of its loop, if the
    /// previews of all of them are ready.
    pub(super) fn announce_at(&mut self, index: usize) -> Vec<(String, ApprovalSubject)> {
        if self.calls[index].is_asked() || self.calls[index].is_foreseen {
            return Vec::new();
        }
        let group = self.group(index);
        let ready = group.iter().filter(|at| self.has_fresh_preview(**at)).count();
        if ready < group.len() {
            return Vec::new();
        }
        let announced = group.iter().filter_map(|at| self.calls[*at].subject());
        let announced: Vec<_> = announced.collect();
        let others = announced.iter().skip(1).map(|(id, _)| id.clone()).collect();
        for at in group {
            self.calls[at].request = RequestState::Within;
        }
        self.calls[index].request = RequestState::Announced(others);
        announced
    }

    /// Returns the question about a call, once it is announced and until it is asked, and the ids of the
    /// other calls that it is about.
    pub(super) fn question_at(&self, at: usize) -> Option<(Question, Vec<String>)> {
        let RequestState::Announced(others) = &self.calls[at].request else { return None };
        let mut question = self.calls[at].question()?;
        // Some may have been stopped since.
        let others = others.iter().filter_map(|id| {
            let waits = self.calls.iter().find(|waits| waits.is(id))?;
            question.items.push(waits.item()?);
            Some(id.clone())
        });
        let others = others.collect();
        Some((question, others))
    }

    /// Returns whether the preview of a call is there, and lets it be made again if it is out of date.
    fn has_fresh_preview(&mut self, at: usize) -> bool {
        if self.calls[at].look.closed < self.closed {
            let QueuedCall { call, context, max_timeout, .. } = &self.calls[at];
            let (call, context, max_timeout) = (call.clone(), context.clone(), *max_timeout);
            let look = self.look(&call, &context, max_timeout);
            let waits = &mut self.calls[at];
            waits.preview = None;
            std::mem::replace(&mut waits.look, look).task.abort();
        }
        self.calls[at].preview.is_some()
    }

    /// Returns the places of the calls that one request is about, the given one first.
    fn group(&self, index: usize) -> Vec<usize> {
        let first = &self.calls[index];
        let is_other =
            |at: &usize| self.takes_items && *at != index && self.calls[*at].is_like(first);
        let others = (0..self.calls.len()).filter(is_other);
        [index].into_iter().chain(others).take(MOST_ITEMS).collect()
    }
}

impl QueuedCall {
    /// Returns the ids of the other calls that the request about this one is about.
    pub(super) fn others(&self) -> &[String] {
        match &self.request {
            RequestState::Announced(others) | RequestState::Open { others, .. } => others,
            _ => &[],
        }
    }

    /// Returns whether one request may be about this call and others.
    fn can_be_grouped(&self) -> bool {
        let ready = &self.call.ready;
        ready.attempt() == 1 && !self.must_ask && ready.undoes().is_none()
    }

    /// Returns whether this is the same call as another one, for another item, and nobody is asked about
    /// it.
    fn is_like(&self, other: &Self) -> bool {
        let key = |ready: &ReadyCall| (ready.item_of().map(str::to_owned), ready.kind());
        let (own, other_ready) = (&self.call.ready, &other.call.ready);
        own.item_of().is_some()
            && key(own) == key(other_ready)
            && own.name() == other_ready.name()
            && self.can_be_grouped()
            && other.can_be_grouped()
            && !self.is_asked()
    }
}

/// The greatest number of calls that one request is about.
pub(crate) const MOST_ITEMS: usize = 256;
