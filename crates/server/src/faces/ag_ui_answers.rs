//! Answers to interrupts, as answers to questions: an interrupt about the items of a loop is several
//! questions.
//!
//! This module knows which questions are one interrupt. It stores nothing.

use silcrow_agent::ParkedQuestion;
use silcrow_front::{AgUiAnswer, AgUiDecision};
use silcrow_tool::{ApprovalDecision, ApprovalScope};

use super::denial;

/// Returns the ids of the interrupts about the open questions, and of the questions that have an answer
/// themselves.
pub(super) fn interrupts<'q>(open: &[&'q ParkedQuestion], given: &[AgUiAnswer]) -> Vec<&'q str> {
    let is_first = |at: usize| !open[..at].iter().any(|earlier| is_with(earlier, open[at]));
    let is_given = |at: usize| given.iter().any(|answer| answer.interrupt == open[at].id());
    let ids = (0..open.len()).filter(|at| is_first(*at) || is_given(*at));
    ids.map(|at| open[at].id()).collect()
}

/// Returns the decision about each question.
pub(super) fn answers(
    open: &[&ParkedQuestion],
    given: &[AgUiAnswer],
) -> Vec<(String, ApprovalDecision)> {
    let mut decided = Vec::new();
    for answer in given {
        decided.push((answer.interrupt.clone(), decision(answer, &answer.interrupt, true)));
        let Some(asked) = open.iter().find(|asked| asked.id() == answer.interrupt) else {
            continue;
        };
        let is_other = |other: &&&ParkedQuestion| {
            is_with(asked, other) && given.iter().all(|answer| answer.interrupt != other.id())
        };
        for other in open.iter().filter(is_other) {
            decided.push((other.id().to_owned(), decision(answer, other.id(), false)));
        }
    }
    decided
}

/// Returns the decision about the question `id`. An answer that covers later calls does so by the scope of
/// its own question.
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

/// Returns whether both questions are about items of one loop.
fn is_with(one: &ParkedQuestion, other: &ParkedQuestion) -> bool {
    let item_of = one.question.item_of.as_ref();
    item_of.is_some()
        && item_of == other.question.item_of.as_ref()
        && one.question.tool == other.question.tool
        && (&one.conversation, one.turn) == (&other.conversation, other.turn)
        && one.id() != other.id()
}
