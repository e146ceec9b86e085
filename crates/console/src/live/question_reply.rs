//! The answer of a person to a question.

use silcrow_tool::{ApprovalDecision, ApprovalScope};

/// A person's answer to a plan that they accept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "who asks has to know all of it")]
pub struct PlanAnswer {
    /// Whether files change without a question while the plan is carried out.
    pub is_free: bool,
    /// Whether the plan takes the place of the conversation before it.
    pub replaces_talk: bool,
    /// The plan as the person saved it, if they have changed it.
    pub saved: Option<String>,
}

/// The answer to a question.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "who asks has to know each answer")]
pub enum QuestionReply {
    /// A yes or a no.
    Decided(ApprovalDecision),
    /// Yes, and a rule that allows such calls in this folder from now on.
    AllowInFolder,
    /// Yes to a plan, with how it is carried out.
    AcceptPlan(PlanAnswer),
    /// No, and the run stops.
    Stop,
    /// The words that were wanted, or `None` if the person gives none.
    Words(Option<String>),
}

impl QuestionReply {
    /// Returns the reply with the plan that the person has saved, if it is a yes.
    pub(super) fn with_plan(self, saved: Option<String>) -> Self {
        match self {
            Self::AcceptPlan(answer) if saved.is_some() => {
                Self::AcceptPlan(PlanAnswer { saved, ..answer })
            }
            Self::Decided(ApprovalDecision::Allow(ApprovalScope::Once)) if saved.is_some() => {
                Self::AcceptPlan(PlanAnswer { saved, ..PlanAnswer::default() })
            }
            reply => reply,
        }
    }
}
