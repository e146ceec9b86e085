//! The answer of a person to a question.
//!
//! This module does not know the keys that give it.

use silcrow_exec::ApprovalDecision;

/// The answer to a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum QuestionReply {
    Decided(ApprovalDecision),
    /// Yes, and a rule that allows such calls in this folder from now on.
    AllowInFolder,
    /// No, and the run stops.
    Stop,
    /// The words that were wanted, or `None` if the person gives none.
    Words(Option<String>),
}
