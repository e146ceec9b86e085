//! What a person approved: these arguments, with this preview.

use std::fmt::Write as _;
use std::sync::Arc;

use sha2::{Digest as _, Sha256};

use crate::tool::Preview;

/// The subject of an approval, as it is stored: the hash of the exact arguments, and what they act
/// on.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ApprovalSubject {
    /// SHA-256 of the arguments' bytes, after substitution, in hex.
    pub args_sha256: String,
    /// What the call acts on, resolved, where its tool says so ([`Preview::target`]).
    pub target: Option<String>,
}

/// A yes, as far as it is about one call.
#[derive(Clone)]
pub(crate) struct Approved(Arc<ApprovedCall>);

struct ApprovedCall {
    args_sha256: String,
    preview: Preview,
    /// The yes was to all calls of this scope, wherever they act.
    by_grant: bool,
}

impl Approved {
    /// Only for arguments and a preview that somebody said yes to.
    pub(crate) fn by_answer(args: &str, preview: Preview) -> Self {
        Self(Arc::new(ApprovedCall { args_sha256: sha256(args), preview, by_grant: false }))
    }

    /// Only for a call whose scope somebody said yes to.
    pub(crate) fn by_grant(args: &str, preview: Preview) -> Self {
        Self(Arc::new(ApprovedCall { args_sha256: sha256(args), preview, by_grant: true }))
    }

    /// Whether these are the arguments.
    pub(crate) fn is_of(&self, args: &str) -> bool {
        self.0.args_sha256 == sha256(args)
    }

    /// Whether the yes is to these arguments, with what the tool now says of them. An effect may
    /// have changed since: other calls run meanwhile.
    pub(crate) fn covers(&self, args: &str, now: &Preview) -> bool {
        let ApprovedCall { preview: then, by_grant, .. } = &*self.0;
        self.is_of(args) && now.scope == then.scope && (*by_grant || now.target == then.target)
    }

    /// What the tool said then.
    pub(crate) fn preview(&self) -> &Preview {
        &self.0.preview
    }
}

pub(crate) fn subject(args: &str, preview: &Preview) -> ApprovalSubject {
    ApprovalSubject { args_sha256: sha256(args), target: preview.target.clone() }
}

fn sha256(args: &str) -> String {
    let mut hex = String::with_capacity(64);
    for byte in Sha256::digest(args) {
        // Writing to a string does not fail.
        let _ = write!(hex, "{byte:02x}");
    }
    hex
}
