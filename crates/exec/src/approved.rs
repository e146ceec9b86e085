use std::fmt::Write as _;
use std::sync::Arc;

use sha2::{Digest as _, Sha256};

use crate::tool::Preview;

/// What a person is asked about, as it is stored: the hash of the exact arguments, and what they
/// act on.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Subject {
    /// SHA-256 of the arguments' bytes, after substitution, in hex.
    pub args_sha256: String,
    /// What the call acts on, resolved, where its tool says so ([`Preview::target`]).
    pub target: Option<String>,
}

/// A yes to one call: to its exact arguments, as long as they do what the tool said then.
#[derive(Clone)]
pub(crate) struct Approved(Arc<Shown>);

struct Shown {
    args_sha256: String,
    preview: Preview,
}

impl Approved {
    /// Only for arguments and a preview that somebody said yes to.
    pub(crate) fn new(args: &str, preview: Preview) -> Self {
        Self(Arc::new(Shown { args_sha256: sha256(args), preview }))
    }

    /// Whether these are the arguments.
    pub(crate) fn is_of(&self, args: &str) -> bool {
        self.0.args_sha256 == sha256(args)
    }

    pub(crate) fn preview(&self) -> &Preview {
        &self.0.preview
    }
}

pub(crate) fn subject(args: &str, preview: &Preview) -> Subject {
    Subject { args_sha256: sha256(args), target: preview.target.clone() }
}

fn sha256(args: &str) -> String {
    let mut hex = String::with_capacity(64);
    for byte in Sha256::digest(args) {
        // Writing to a string does not fail.
        let _ = write!(hex, "{byte:02x}");
    }
    hex
}
