use silcrow_event::{CallResult, Entry, Progress};

use crate::approve::ApprovalDecision;
use crate::approved::ApprovalSubject;

/// What a [`Runner`](crate::Runner) has to tell. All that a call tells comes before its end.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum CallUpdate {
    /// Somebody will be asked about a call, once this is taken note of: the question is put by the
    /// next wait for news.
    Asked {
        /// Of the call.
        id: String,
        /// What they are asked about.
        subject: ApprovalSubject,
    },
    /// They answered.
    Answered {
        /// Of the call.
        id: String,
        /// What they were asked about.
        subject: ApprovalSubject,
        /// What they said.
        answer: ApprovalDecision,
        /// What a yes for the conversation covers.
        scope: String,
    },
    /// A running call shows how far it is.
    Progress(Progress),
    /// An event of an agent that a call runs.
    Inner(Box<Entry>),
    /// An attempt at a call has ended.
    Ended(CallOutcome),
}

/// How an attempt ended.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::exhaustive_structs, reason = "an id, an outcome, and whether to try again")]
pub struct CallOutcome {
    /// Of the call.
    pub id: String,
    /// What came of it.
    pub outcome: CallResult,
    /// How many more attempts its tool allows by itself, if another one could mend the failure.
    pub retries: Option<u32>,
}
