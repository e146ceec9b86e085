//! Questions that a person answers as one: those about the calls for the items of one loop.

use std::borrow::Cow;

use silcrow_tool::{ApprovalDecision, ApprovalScope};

use crate::names::escaped;
use crate::questions::ParkedQuestion;

/// One question about a call, or the questions about the calls of one loop that differ only in
/// their items (P-30). Each call has a question in the log, and a person is asked once. Answered
/// questions and open ones are in separate groups.
///
/// ```
/// use silcrow_agent::QuestionGroup;
///
/// assert!(QuestionGroup::all(&[]).is_empty());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuestionGroup<'q>(Vec<&'q ParkedQuestion>);

impl<'q> QuestionGroup<'q> {
    /// Groups questions, in the order of the first one of each group.
    pub fn all(questions: impl IntoIterator<Item = &'q ParkedQuestion>) -> Vec<Self> {
        let mut groups: Vec<Self> = Vec::new();
        for asked in questions {
            match groups.iter_mut().find(|group| group.takes(asked)) {
                Some(group) => group.0.push(asked),
                None => groups.push(Self(vec![asked])),
            }
        }
        groups
    }

    /// Returns the first question.
    pub fn first(&self) -> &'q ParkedQuestion {
        self.0[0]
    }

    /// Returns the questions, in the order in which they were asked.
    pub fn questions(&self) -> &[&'q ParkedQuestion] {
        &self.0
    }

    /// Returns whether a loop asks for several items.
    pub const fn is_loop(&self) -> bool {
        self.0.len() > 1
    }

    /// Returns the id of a question; for a loop the call as the loop has it in place of one for an item,
    /// such as `3/each[].save`, which no question has.
    pub fn id(&self) -> Cow<'q, str> {
        let first = self.first();
        let (true, Some(item_of)) = (self.is_loop(), &first.question.item_of) else {
            return Cow::Borrowed(first.id());
        };
        let around = first.id().rsplit_once('/').map_or("", |(around, _)| around);
        Cow::Owned(format!("{around}/{}", escaped(item_of)))
    }

    /// Splits a decision about all of them into one for each, by the ids of the questions. An
    /// approval for the conversation is one by the scope of the first call; the others are allowed
    /// once.
    pub fn decisions(&self, decision: &ApprovalDecision) -> Vec<(String, ApprovalDecision)> {
        let about = |place| match decision.about(place) {
            ApprovalDecision::Allow(_) if place > 0 => ApprovalDecision::Allow(ApprovalScope::Once),
            decision => decision,
        };
        (0..).zip(&self.0).map(|(place, asked)| (asked.id().to_owned(), about(place))).collect()
    }

    /// Returns whether a question is about another item of the loop that this group is about.
    fn takes(&self, other: &ParkedQuestion) -> bool {
        let first = self.first();
        let item_of = first.question.item_of.as_ref();
        item_of.is_some()
            && item_of == other.question.item_of.as_ref()
            && first.question.tool == other.question.tool
            && (&first.conversation, first.turn) == (&other.conversation, other.turn)
            && first.answer == other.answer
    }
}
