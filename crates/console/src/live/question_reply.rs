//! The answer of a person to a question.
//!
//! This module does not know the keys that give it.

use silcrow_tool::ApprovalDecision;

/// The answer to a question.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "who asks has to know each answer")]
pub enum QuestionReply {
    /// A yes or a no.
    Decided(ApprovalDecision),
    /// Yes, and a rule that allows such calls in this folder from now on.
    AllowInFolder,
    /// Yes to a plan, which is then carried out without a question about changes of files.
    AcceptPlanFreely,
    /// No, and the run stops.
    Stop,
    /// The words that were wanted, or `None` if the person gives none.
    Words(Option<String>),
}
