//! A question on a live screen: the rows, the possible answers, and the channel for the answer.

use tokio::sync::oneshot;

use super::always::AlwaysChoices;
use super::keyed_reply::KeyedReply;
use super::question_reply::QuestionReply;

/// A question for a person, with the way back for the answer.
#[derive(Debug)]
#[expect(clippy::exhaustive_structs, reason = "who asks writes all of it")]
pub struct LiveQuestion {
    /// The rows of the question, safe to show.
    pub text: String,
    /// The rows of the question with all known facts, or none if nothing is left out.
    pub whole: Option<String>,
    /// The maximum number of rows that are shown before the person asks for the whole question.
    pub most_rows: usize,
    /// The tool that the call is to, for the words of a no.
    pub tool: String,
    /// The answers that also cover later calls.
    pub always: AlwaysChoices,
    /// Answers with keys that only this question has.
    pub others: Vec<KeyedReply>,
    /// The plan that the question is about, in Markdown, which follows the rows and can be changed.
    pub plan: Option<String>,
    /// The number of calls that it is about: more than one for the items of a loop.
    pub items: usize,
    /// The kind of the answer.
    pub wanted: WantedReply,
    /// The way back for the answer. A question whose other end is dropped is taken back.
    pub answer: oneshot::Sender<QuestionReply>,
}

impl LiveQuestion {
    /// Creates a question that words answer.
    ///
    /// ```
    /// use silcrow_console::live::{LiveQuestion, WantedReply};
    ///
    /// let (answer, _answered) = tokio::sync::oneshot::channel();
    /// let question = LiveQuestion::of_words("Which branch?".to_owned(), answer);
    /// assert_eq!(question.wanted, WantedReply::Words);
    /// ```
    pub fn of_words(text: String, answer: oneshot::Sender<QuestionReply>) -> Self {
        Self {
            text,
            whole: None,
            most_rows: usize::MAX,
            tool: String::new(),
            always: AlwaysChoices::default(),
            others: Vec::new(),
            plan: None,
            items: 1,
            wanted: WantedReply::Words,
            answer,
        }
    }
}

/// The kind of answer that a question wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "each kind of answer has its keys")]
pub enum WantedReply {
    /// A yes or a no about a call.
    Decision,
    /// Words.
    Words,
}
