//! An answer with a key that only some questions have.

use super::question_reply::QuestionReply;

/// A yes of another kind, with its key.
#[derive(Clone, Debug)]
#[expect(clippy::exhaustive_structs, reason = "who asks writes all of it")]
pub struct KeyedReply {
    /// The key: a small letter.
    pub key: &'static str,
    /// The meaning, in a word or two.
    pub meaning: &'static str,
    /// The meaning, in a clause.
    pub explanation: &'static str,
    /// The answer that the key gives.
    pub reply: QuestionReply,
}
