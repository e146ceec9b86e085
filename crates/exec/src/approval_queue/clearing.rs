//! The decision after a preview: a call runs, is rejected, or waits for the approver.

use silcrow_tool::{Permission, Preview};

use super::queued_call::QueuedCall;
use super::{ApprovalQueue, ApprovalStep};
use crate::approved::{ApprovalSubject, Approved};
use crate::call::{CheckedCall, RunnableCall};
use crate::matched_tool::Refusal;

impl ApprovalQueue {
    /// Takes the preview of a call.
    pub(super) fn previewed(
        &mut self,
        number: u64,
        preview: Result<Preview, Refusal>,
    ) -> ApprovalStep {
        let Some(at) = self.calls.iter().position(|waits| waits.look.number == number) else {
            return ApprovalStep::Ready;
        };
        let preview = match preview {
            Ok(preview) => preview,
            Err(refusal) => {
                let Some(waits) = self.calls.remove(at) else { return ApprovalStep::Ready };
                return waits.refused(refusal);
            }
        };
        let waits = &mut self.calls[at];
        waits.preview = Some(preview.clone());
        let (permission, terms, wider_scopes) = waits.decide(&preview, self.approver.permissions());
        (waits.terms, waits.wider_scopes) = (terms.clone(), wider_scopes);
        if let Permission::Deny(reason) = &permission {
            let Some(waits) = self.calls.remove(at) else { return ApprovalStep::Ready };
            let refusal = Refusal::denied(&waits.call.ready, reason);
            return waits.refused(refusal);
        }
        if waits.is_foreseen {
            return self.foreseen_previewed(at, &permission);
        }
        // An answer about this very call counts before a grant.
        let subject = ApprovalSubject::for_call(waits.call.ready.args(), &preview, &terms);
        let given = self.given.remove(waits.call.ready.id());
        let given = given.filter(|(about, denied)| match denied {
            Some(_) => about.denies(&subject),
            None => about.approves(&subject),
        });
        let Some((about, denied)) = given else {
            let is_granted = waits.is_covered_by(&self.granted, self.approver.permissions());
            if let Permission::Ask(why) = &permission
                && !is_granted
            {
                self.calls[at].why.clone_from(why);
                return self.new_loop(at).map_or(ApprovalStep::Ready, ApprovalStep::Item);
            }
            let Some(waits) = self.calls.remove(at) else { return ApprovalStep::Ready };
            if permission == Permission::Allow {
                let approved = Approved::of_call(waits.call.ready.args(), (preview, terms));
                return ApprovalStep::Granted(self.clear(waits.call, approved));
            }
            return self.clear_by_grant(waits).map_or(ApprovalStep::Ready, ApprovalStep::Granted);
        };
        let Some(waits) = self.calls.remove(at) else { return ApprovalStep::Ready };
        let call = waits.call;
        match denied {
            Some(reason) => {
                let refusal = Refusal::denied(&call.ready, &reason);
                ApprovalStep::Refused(call.ready, refusal)
            }
            None => {
                let args = call.ready.args();
                let approved = match about.diff {
                    Some(_) => Approved::by_person(args, (preview, terms)),
                    None => Approved::of_call(args, (preview, terms)),
                };
                ApprovalStep::Granted(self.clear(call, approved))
            }
        }
    }

    /// Keeps a call that has not come yet if a person would be asked about it.
    fn foreseen_previewed(&mut self, at: usize, permission: &Permission) -> ApprovalStep {
        let waits = &mut self.calls[at];
        let is_granted = waits.is_covered_by(&self.granted, self.approver.permissions());
        match permission {
            Permission::Ask(why) if !is_granted => waits.why.clone_from(why),
            _ => {
                let id = waits.call.ready.id().to_owned();
                self.withdraw(&id);
            }
        }
        ApprovalStep::Ready
    }

    /// Lets a call run that a grant covers.
    pub(super) fn clear_by_grant(&mut self, waits: QueuedCall) -> Option<RunnableCall> {
        let approved = Approved::by_grant(waits.call.ready.args(), (waits.preview?, waits.terms));
        Some(self.clear(waits.call, approved))
    }

    /// Lets a call run, and keeps the approval if it covers further attempts.
    pub(super) fn clear(&mut self, call: CheckedCall, approved: Approved) -> RunnableCall {
        if call.attempts() > 1 {
            self.approved.insert(call.ready.id().to_owned(), approved.clone());
        }
        RunnableCall::with_approval(call, approved)
    }
}

impl QueuedCall {
    /// Returns the step after the rejection of a call. One that has not come yet is rejected when
    /// it does.
    fn refused(self, refusal: Refusal) -> ApprovalStep {
        match self.is_foreseen {
            true => ApprovalStep::Ready,
            false => ApprovalStep::Refused(self.call.ready, refusal),
        }
    }
}
