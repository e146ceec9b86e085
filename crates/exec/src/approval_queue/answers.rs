//! Answers of the approver, and questions that are withdrawn.
//!
//! This module applies answers to the queue.

use silcrow_event::OpenQuestion;
use silcrow_tool::ApprovalDecision;

use super::queued_call::{QueuedCall, RequestState};
use super::{ApprovalQueue, ApprovalStep, DecidedCall};
use crate::approved::{ApprovalSubject, Approved};
use crate::matched_tool::Refusal;
use crate::update::CallUpdate;

impl ApprovalQueue {
    /// Returns the questions that the approver left open.
    pub(crate) fn open_questions(&self) -> impl Iterator<Item = OpenQuestion> {
        self.calls.iter().filter_map(QueuedCall::open_question)
    }

    /// Takes the answer to a request.
    pub(super) fn answered(&mut self, number: u64, answer: ApprovalDecision) -> ApprovalStep {
        let is_it = |waits: &QueuedCall| matches!(waits.request, RequestState::Open { number: open, .. } if open == number);
        // The call may have been stopped after the answer was given.
        let Some(at) = self.calls.iter().position(is_it) else { return ApprovalStep::Ready };
        let others = self.calls[at].others().to_vec();
        if answer == ApprovalDecision::Park {
            return self.park(at, &others);
        }
        let mut answered = Vec::new();
        let Some(waits) = self.calls.remove(at) else { return ApprovalStep::Ready };
        answered.push(self.decide(waits, answer.about(0)));
        match &answer {
            ApprovalDecision::Items { .. } => {
                for (place, id) in (1..).zip(&others) {
                    let at = self.calls.iter().position(|waits| waits.is(id));
                    // Some may have been stopped.
                    let Some(waits) = at.and_then(|at| self.calls.remove(at)) else { continue };
                    answered.push(self.decide(waits, answer.about(place)));
                }
            }
            _ => self.release(&others),
        }
        self.closed += 1;
        ApprovalStep::Answered(answered)
    }

    /// Leaves a question open.
    fn park(&mut self, at: usize, others: &[String]) -> ApprovalStep {
        // The call is marked as started, so no later process could make another attempt.
        if self.calls[at].call.ready.attempt() > 1 {
            let Some(waits) = self.calls.remove(at) else { return ApprovalStep::Ready };
            let refusal = Refusal::denied(&waits.call.ready, "nobody answered");
            return ApprovalStep::Refused(waits.call.ready, refusal);
        }
        let first = self.calls[at].call.ready.id().to_owned();
        let is_it = |waits: &QueuedCall| waits.is(&first) || others.iter().any(|id| waits.is(id));
        let mut parked = Vec::new();
        for waits in self.calls.iter_mut().filter(|waits| is_it(waits)) {
            waits.request = RequestState::Parked;
            if !waits.is_foreseen {
                parked.push(waits.call.ready.id().to_owned());
            }
        }
        ApprovalStep::Parked(parked)
    }

    /// Takes the decision about one call, which is no longer in the queue. A decision about a call
    /// that has not come yet is kept until it comes.
    fn decide(&mut self, waits: QueuedCall, answer: ApprovalDecision) -> DecidedCall {
        let scope = match &answer {
            ApprovalDecision::Allow(scope) => waits.scope(*scope),
            _ => None,
        };
        if let Some(key) = scope.as_ref().and_then(|scope| waits.key(scope)) {
            self.granted.insert(key);
        }
        let preview = waits.preview.expect("nobody is asked without a preview");
        let ready = &waits.call.ready;
        let id = ready.id().to_owned();
        let subject = ApprovalSubject::for_call(ready.args(), &preview, &waits.terms);
        let update = CallUpdate::Answered {
            id: id.clone(),
            subject: subject.clone(),
            answer: answer.clone(),
            scope: scope.unwrap_or_else(|| waits.terms.scoped(&preview.scope)),
        };
        let denied = match answer {
            ApprovalDecision::Deny(reason) => Some(reason),
            _ => None,
        };
        if waits.is_foreseen {
            self.given.insert(id, (subject, denied));
            return DecidedCall { outcome: None, update };
        }
        let outcome = match denied {
            Some(reason) => {
                let refusal = Refusal::denied(ready, &reason);
                Err((waits.call.ready, refusal))
            }
            None => {
                let approved = Approved::by_person(ready.args(), (preview, waits.terms));
                Ok(self.clear(waits.call, approved))
            }
        };
        DecidedCall { outcome: Some(outcome), update }
    }

    /// Removes a call, and withdraws the request about it.
    pub(crate) fn withdraw(&mut self, id: &str) {
        let mut others = Vec::new();
        for waits in self.calls.iter().filter(|waits| waits.is(id)) {
            waits.look.task.abort();
            waits.withdraw();
            others.extend_from_slice(waits.others());
            self.closed += u64::from(waits.is_asked());
        }
        self.calls.retain(|waits| !waits.is(id));
        self.release(&others);
        self.wall.withdraw_call(id);
    }

    /// Lets calls be asked about again that were in a request which is closed.
    pub(super) fn release(&mut self, ids: &[String]) {
        for waits in &mut self.calls {
            if matches!(waits.request, RequestState::Within) && ids.iter().any(|id| waits.is(id)) {
                waits.request = RequestState::Unasked;
            }
        }
    }
}
