//! The result of learning.
//!
//! This module has numbers and no texts.

use crate::fact::RefusedFact;

/// The result of [`learn`](crate::learn()).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LearnOutcome {
    /// There are too few new messages of the person. No model was asked.
    TooFew {
        /// The number of them.
        new: usize,
    },
    /// Another learner works on the messages. No model was asked.
    Busy,
    /// The profile was deleted, or the claim expired and another learner took the messages. The
    /// answer of the model is dropped.
    Superseded,
    /// The answer of the model cannot be read.
    Unreadable {
        /// Whether the learner continues with the next messages, because it was the second answer to
        /// the same ones.
        gave_up: bool,
    },
    /// The messages are learned, perhaps without a change.
    Learned(LearnedChanges),
}

/// The number of changes that were made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct LearnedChanges {
    /// The number of messages of the person.
    pub messages: usize,
    /// The number of facts that were added.
    pub added: usize,
    /// The number of facts that have a new text.
    pub replaced: usize,
    /// The number of facts that were removed.
    pub removed: usize,
    /// The number of changes that were not made.
    pub refused: usize,
    /// Whether some messages did not fit into the request.
    pub has_more: bool,
}

impl LearnedChanges {
    pub(crate) fn count(
        &mut self,
        done: Result<(), RefusedFact>,
        of: impl FnOnce(&mut Self) -> &mut usize,
    ) {
        match done {
            Ok(()) => *of(self) += 1,
            Err(_) => self.refused += 1,
        }
    }
}
