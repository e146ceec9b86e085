//! Work of models after an answered run: learning the profile of the person, and naming the
//! conversation.
//!
//! None of this delays an answer or fails a run. In a session it happens beside the next prompts, and
//! in a run of one prompt after the answer is written.

use std::fmt;
use std::time::Duration;

use crate::learning::ProfileLearner;
use crate::titling::ConversationTitler;

/// The work of models after an answered run. Clones share the models.
#[derive(Clone)]
pub struct AfterRun {
    learner: Option<ProfileLearner>,
    titler: Option<ConversationTitler>,
}

impl AfterRun {
    /// Returns `None` if there is nothing to do.
    pub(crate) fn new(
        learner: Option<ProfileLearner>,
        titler: Option<ConversationTitler>,
    ) -> Option<Self> {
        (learner.is_some() || titler.is_some()).then_some(Self { learner, titler })
    }

    /// Does everything at once, and returns the lines for the person. A title may take as long as
    /// `patience`.
    pub async fn work(&self, conversation: &str, patience: Duration) -> Vec<String> {
        let titled = async { self.titler.as_ref()?.title(conversation, patience).await };
        let learned = async { self.learner.as_ref()?.learn_if_due().await };
        let (titled, learned) = tokio::join!(titled, learned);
        titled.into_iter().chain(learned).collect()
    }

    /// Returns a description of the work.
    pub const fn name(&self) -> &'static str {
        match (&self.learner, &self.titler) {
            (Some(_), Some(_)) => "naming the conversation and learning your profile",
            (Some(_), None) => "learning your profile",
            _ => "naming the conversation",
        }
    }
}

impl fmt::Debug for AfterRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("AfterRun").field(&self.name()).finish()
    }
}
