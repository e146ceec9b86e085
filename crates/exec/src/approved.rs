//! Approvals: the arguments and the preview that a person approved.
//!
//! This module decides whether an approval still covers a call.

use std::fmt::Write as _;
use std::sync::Arc;

use sha2::{Digest as _, Sha256};
use silcrow_event::{Grants, PreviewDiff};
use silcrow_tool::Preview;

use crate::call_terms::CallTerms;

/// The subject of an approval: the hash of the exact arguments, their target, its risk, and the
/// changed lines that a person saw.
///
/// ```
/// use silcrow_exec::ApprovalSubject;
///
/// let subject = |risk: Option<&str>| {
///     let target = Some("notes.md".to_owned());
///     ApprovalSubject::new("5df6…".to_owned(), target, risk.map(str::to_owned))
/// };
/// let (safe, risky) = (subject(None), subject(Some("it belongs to git")));
/// // A yes that was given without sight of the risk does not count, and a no does.
/// assert!(!safe.approves(&risky));
/// assert!(safe.denies(&risky));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ApprovalSubject {
    /// SHA-256 of the arguments' bytes, after substitution, in hex.
    pub args_sha256: String,
    /// The resolved target of the call, if its tool names one ([`Preview::target`]).
    pub target: Option<String>,
    /// The risk of the call, if its tool names one ([`Preview::risk`]).
    pub risk: Option<String>,
    /// The lines that the call changes, if its tool shows them ([`Preview::diff`]).
    pub diff: Option<PreviewDiff>,
    /// The doors that the question named.
    pub grants: Grants,
}

/// The approval of one call.
#[derive(Clone)]
pub(crate) struct Approved(Arc<ApprovedCall>);

struct ApprovedCall {
    args_sha256: String,
    preview: Preview,
    terms: CallTerms,
    basis: ApprovalBasis,
}

/// The basis of an approval.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ApprovalBasis {
    /// The preview, which a person saw.
    Sight,
    /// This very call: permissions allow it, or a person answered earlier.
    Call,
    /// All calls of the scope, with any target.
    Scope,
}

impl Approved {
    /// Creates the approval of exactly this call by a person who sees the preview.
    pub(crate) fn by_person(args: &str, (preview, terms): (Preview, CallTerms)) -> Self {
        Self::new(args, (preview, terms), ApprovalBasis::Sight)
    }

    /// Creates the approval of exactly this call by permissions or by an earlier answer.
    pub(crate) fn of_call(args: &str, (preview, terms): (Preview, CallTerms)) -> Self {
        Self::new(args, (preview, terms), ApprovalBasis::Call)
    }

    /// Creates the approval of a call whose scope was approved for the conversation.
    pub(crate) fn by_grant(args: &str, (preview, terms): (Preview, CallTerms)) -> Self {
        Self::new(args, (preview, terms), ApprovalBasis::Scope)
    }

    fn new(args: &str, (preview, terms): (Preview, CallTerms), basis: ApprovalBasis) -> Self {
        Self(Arc::new(ApprovedCall { args_sha256: sha256(args), preview, terms, basis }))
    }

    /// Returns whether these arguments were approved.
    pub(crate) fn is_of(&self, args: &str) -> bool {
        self.0.args_sha256 == sha256(args)
    }

    /// Returns whether the approval covers these arguments and the preview that the tool makes now.
    /// The effect may differ, because other calls run meanwhile, but not the lines that a person
    /// saw change.
    pub(crate) fn covers(&self, args: &str, now: &Preview) -> bool {
        let ApprovedCall { preview: then, basis, .. } = &*self.0;
        let is_seen =
            *basis != ApprovalBasis::Sight || covers_lines(then.diff.as_ref(), now.diff.as_ref());
        self.is_of(args)
            && now.scope == then.scope
            && covers_risk(then.risk.as_deref(), now.risk.as_deref())
            && (*basis == ApprovalBasis::Scope || now.target == then.target)
            && is_seen
    }

    /// Returns the preview that was approved.
    pub(crate) fn preview(&self) -> &Preview {
        &self.0.preview
    }

    /// Returns the terms of the call.
    pub(crate) fn terms(&self) -> &CallTerms {
        &self.0.terms
    }
}

impl ApprovalSubject {
    /// Creates the subject of a stored question whose lines are not known.
    pub const fn new(args_sha256: String, target: Option<String>, risk: Option<String>) -> Self {
        Self { args_sha256, target, risk, diff: None, grants: Grants::none() }
    }

    /// Sets the lines that the person saw change, if they saw any.
    #[must_use]
    pub fn with_diff(self, diff: Option<PreviewDiff>) -> Self {
        Self { diff, ..self }
    }

    /// Sets the doors that the question named.
    #[must_use]
    pub fn with_grants(self, grants: Grants) -> Self {
        Self { grants, ..self }
    }

    /// Returns whether a yes about this subject answers a question about `now`: both are about the
    /// same arguments and the same target, and the person saw the risk, the changed lines and the
    /// doors.
    pub fn approves(&self, now: &Self) -> bool {
        self.denies(now)
            && covers_risk(self.risk.as_deref(), now.risk.as_deref())
            && covers_lines(self.diff.as_ref(), now.diff.as_ref())
            && self.grants.cover_all(&now.grants)
    }

    /// Returns whether a no about this subject answers a question about `now`: both are about the
    /// same arguments and the same target, whatever the risk, the changed lines and the doors are.
    pub fn denies(&self, now: &Self) -> bool {
        self.args_sha256 == now.args_sha256 && self.target == now.target
    }

    /// Returns the subject of a question of a running call with these arguments, which asks for doors.
    pub(crate) fn at_wall(args: &str, wanted: &Grants) -> Self {
        let asked = Self::new(sha256(args), Some(wanted.to_string()), None);
        asked.with_grants(wanted.clone())
    }

    /// Returns the subject of a call with these arguments and this preview.
    pub(crate) fn for_call(args: &str, preview: &Preview, terms: &CallTerms) -> Self {
        let Preview { target, risk, diff, .. } = preview.clone();
        Self { args_sha256: sha256(args), target, risk, diff, grants: terms.grants.clone() }
    }
}

/// Returns whether a yes that was given in sight of the risk `then` covers the risk `now`.
fn covers_risk(then: Option<&str>, now: Option<&str>) -> bool {
    now.is_none() || now == then
}

/// Returns whether a yes that was given in sight of the lines `then` covers the lines `now`. A yes
/// whose lines are not known covers all.
fn covers_lines(then: Option<&PreviewDiff>, now: Option<&PreviewDiff>) -> bool {
    match (then, now) {
        (Some(then), Some(now)) => now.files.is_empty() || now.changes_same_lines(then),
        (Some(_), None) => false,
        (None, _) => true,
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
