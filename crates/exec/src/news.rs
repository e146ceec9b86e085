use silcrow_event::{Entry, Outcome, Progress};

use crate::approve::Answer;
use crate::approved::Subject;

/// What a [`Runner`](crate::Runner) has to tell. All that a call tells comes before its end.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum News {
    /// Somebody will be asked about a call, once this is taken note of: the question is put by the
    /// next wait for news.
    Asked {
        /// Of the call.
        id: String,
        /// What they are asked about.
        subject: Subject,
    },
    /// They answered.
    Answered {
        /// Of the call.
        id: String,
        /// What they were asked about.
        subject: Subject,
        /// What they said.
        answer: Answer,
        /// What a yes for the conversation covers.
        scope: String,
    },
    /// A running call shows how far it is.
    Progress(Progress),
    /// An event of an agent that a call runs.
    Inner(Box<Entry>),
    /// An attempt at a call has ended.
    Ended(Ended),
}

/// How an attempt ended.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::exhaustive_structs, reason = "an id, an outcome, and whether to try again")]
pub struct Ended {
    /// Of the call.
    pub id: String,
    /// What came of it.
    pub outcome: Outcome,
    /// How many more attempts its tool allows by itself, if another one could mend the failure.
    pub retries: Option<u32>,
}
