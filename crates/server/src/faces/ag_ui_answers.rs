//! Answers to interrupts, as answers to questions: an interrupt about the items of a loop is several
//! questions.
//!
//! This module stores nothing.

use silcrow_agent::{ParkedQuestion, QuestionGroup};
use silcrow_front::{AgUiAnswer, AgUiDecision};
use silcrow_tool::{ApprovalDecision, ApprovalScope};

use super::denial;

/// Returns the ids of the interrupts about the open questions, and of the questions that have an answer
/// themselves.
pub(super) fn interrupts<'q>(open: &[&'q ParkedQuestion], given: &[AgUiAnswer]) -> Vec<&'q str> {
    let groups = QuestionGroup::all(open.iter().copied());
    let is_first = |id: &str| groups.iter().any(|group| group.first().id() == id);
    let is_given = |id: &str| given.iter().any(|answer| answer.interrupt == id);
    open.iter().map(|asked| asked.id()).filter(|id| is_first(id) || is_given(id)).collect()
}

/// Returns the decision about each question.
pub(super) fn answers(
    open: &[&ParkedQuestion],
    given: &[AgUiAnswer],
) -> Vec<(String, ApprovalDecision)> {
    let groups = QuestionGroup::all(open.iter().copied());
    let mut decided = Vec::new();
    for answer in given {
        decided.push((answer.interrupt.clone(), decision(answer, &answer.interrupt, true)));
        let is_own = |asked: &&ParkedQuestion| asked.id() == answer.interrupt;
        let Some(group) = groups.iter().find(|group| group.questions().iter().any(is_own)) else {
            continue;
        };
        let is_given = |id: &str| given.iter().any(|answer| answer.interrupt == id);
        for other in group.questions().iter().filter(|other| !is_given(other.id())) {
            decided.push((other.id().to_owned(), decision(answer, other.id(), false)));
        }
    }
    decided
}

/// Returns the decision about the question `id`. An answer that covers later calls uses the scope
/// of its own question.
fn decision(given: &AgUiAnswer, id: &str, is_own: bool) -> ApprovalDecision {
    match &given.decision {
        AgUiDecision::Conversation if is_own => {
            ApprovalDecision::Allow(ApprovalScope::Conversation)
        }
        AgUiDecision::Wider(index) if is_own => {
            ApprovalDecision::Allow(ApprovalScope::Wider(*index))
        }
        AgUiDecision::Once | AgUiDecision::Conversation | AgUiDecision::Wider(_) => {
            ApprovalDecision::Allow(ApprovalScope::Once)
        }
        AgUiDecision::Items(allowed, _) if allowed.iter().any(|allowed| allowed == id) => {
            ApprovalDecision::Allow(ApprovalScope::Once)
        }
        AgUiDecision::Denied(reason) | AgUiDecision::Items(_, reason) => denial(reason.as_deref()),
        AgUiDecision::Cancelled => {
            ApprovalDecision::Deny("the person left without an answer".to_owned())
        }
    }
}
