//! Approvals: the arguments and the preview that a person approved.
//!
//! This module knows when an approval still covers a call. It does not know who gave it.

use std::fmt::Write as _;
use std::sync::Arc;

use sha2::{Digest as _, Sha256};

use crate::call_preview::Preview;

/// The subject of an approval, as it is stored: the hash of the exact arguments, and what they act
/// on.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ApprovalSubject {
    /// SHA-256 of the arguments' bytes, after substitution, in hex.
    pub args_sha256: String,
    /// The resolved target of the call, where its tool names one ([`Preview::target`]).
    pub target: Option<String>,
}

/// The approval of one call.
#[derive(Clone)]
pub(crate) struct Approved(Arc<ApprovedCall>);

struct ApprovedCall {
    args_sha256: String,
    preview: Preview,
    /// Whether all calls of the scope were approved, whatever their target is.
    by_grant: bool,
}

impl Approved {
    /// Creates the approval of exactly this call, by the approver or by permissions.
    pub(crate) fn by_answer(args: &str, preview: Preview) -> Self {
        Self(Arc::new(ApprovedCall { args_sha256: sha256(args), preview, by_grant: false }))
    }

    /// Creates the approval of a call whose scope was approved for the conversation.
    pub(crate) fn by_grant(args: &str, preview: Preview) -> Self {
        Self(Arc::new(ApprovedCall { args_sha256: sha256(args), preview, by_grant: true }))
    }

    /// Returns whether these arguments were approved.
    pub(crate) fn is_of(&self, args: &str) -> bool {
        self.0.args_sha256 == sha256(args)
    }

    /// Returns whether the approval covers these arguments and the preview that the tool makes now.
    /// The effect may differ, because other calls run meanwhile.
    pub(crate) fn covers(&self, args: &str, now: &Preview) -> bool {
        let ApprovedCall { preview: then, by_grant, .. } = &*self.0;
        let same_risk = now.risk.is_none() || now.risk == then.risk;
        self.is_of(args)
            && now.scope == then.scope
            && same_risk
            && (*by_grant || now.target == then.target)
    }

    /// Returns the preview that was approved.
    pub(crate) fn preview(&self) -> &Preview {
        &self.0.preview
    }
}

impl ApprovalSubject {
    /// Creates the subject of a stored question.
    pub const fn new(args_sha256: String, target: Option<String>) -> Self {
        Self { args_sha256, target }
    }

    /// Returns the subject of a call with these arguments and this preview.
    pub(crate) fn of(args: &str, preview: &Preview) -> Self {
        Self { args_sha256: sha256(args), target: preview.target.clone() }
    }
}

fn sha256(args: &str) -> String {
    let mut hex = String::with_capacity(64);
    for byte in Sha256::digest(args) {
        // Writing to a string does not fail.
        let _ = write!(hex, "{byte:02x}");
    }
    hex
}
