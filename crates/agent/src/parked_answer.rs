//! A stored answer to a question of a turn that waits.

use silcrow_event::{Approval, PreviewDiff};
use silcrow_exec::ApprovalSubject;

/// A stored answer, with the contents of its question.
pub(crate) struct ParkedAnswer {
    pub(crate) approval: Approval,
    /// The lines that the question showed.
    pub(crate) diff: Option<PreviewDiff>,
}

impl ParkedAnswer {
    /// Returns the subject of the answer, or `None` if the answer is older than hashes.
    pub(crate) fn subject(&self) -> Option<ApprovalSubject> {
        let Approval { args_sha256, target, risk, grants, .. } = self.approval.clone();
        let subject = ApprovalSubject::new(args_sha256?, target, risk);
        Some(subject.with_diff(self.diff.clone()).with_grants(grants))
    }
}
