//! Why a search goes without the index.

use std::io;

use silcrow_store::Error;

/// The reason why the index cannot be used as it is. Only this crate sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IndexFailure {
    /// It is not as it was written.
    Damaged,
    /// It was made from another log, or from one that was rewritten since.
    OtherLog,
    /// The system refused something, or the log cannot be read.
    Refused,
}

impl From<io::Error> for IndexFailure {
    fn from(_: io::Error) -> Self {
        Self::Refused
    }
}

impl From<Error> for IndexFailure {
    /// The log reports its own errors to callers that read it without the index.
    fn from(_: Error) -> Self {
        Self::Refused
    }
}
