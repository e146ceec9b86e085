//! The questions for whose answers a conversation waits, and the answers to them.
//!
//! ```text
//! open ── an answer is stored ──► answered ── the run continues ──► its call runs or is denied
//!   └── a new prompt begins ──► gone
//! ```
//!
//! Everything is read from the log, except the mark of imported events: what an import brought is
//! neither a question nor an answer. This module does not know how a run continues.

use std::collections::{BTreeMap, BTreeSet};

use silcrow_event::{Approval, ApprovalState, Entry, Event, OpenQuestion, Parked};
use silcrow_exec::{ApprovalDecision, ApprovalScope};
use silcrow_store::{OpenCalls, imported};

use crate::error::{Error, ErrorKind};
use crate::log::Log;

/// A question about a call for whose answer a conversation waits.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ParkedQuestion {
    /// The turn of the call.
    pub turn: u32,
    /// The question.
    pub question: OpenQuestion,
    /// The answer, if one is stored and the run has not continued yet.
    pub answer: Option<ApprovalState>,
}

/// An answer to a [`ParkedQuestion`]. It is about exactly the arguments and the target of that
/// question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuestionAnswer {
    turn: u32,
    question: OpenQuestion,
    decision: ApprovalDecision,
}

impl ParkedQuestion {
    /// Returns the id of the question, which is unique in its conversation: the turn and the id of
    /// the call, such as `3/a1`.
    pub fn id(&self) -> String {
        id(self.turn, &self.question.id)
    }

    /// Answers the question. [`ApprovalDecision::Park`] leaves it open.
    pub fn answer(&self, decision: ApprovalDecision) -> QuestionAnswer {
        QuestionAnswer { turn: self.turn, question: self.question.clone(), decision }
    }
}

/// A turn that waits for answers.
pub(crate) struct ParkedTurn {
    pub(crate) turn: u32,
    pub(crate) parked: Parked,
    /// The answers since the questions were stored.
    pub(crate) answers: Vec<Approval>,
}

impl ParkedTurn {
    /// Returns the answer to a question.
    fn answer(&self, question: &OpenQuestion) -> Option<&Approval> {
        self.answers.iter().find(|answer| {
            answer.id == question.id
                && answer.args_sha256.as_ref() == Some(&question.args_sha256)
                && answer.target == question.target
        })
    }
}

/// Returns the turns of a log that wait for answers, in their order. The last turn of the log is one
/// of them even if all of its calls have ended: what follows them may be missing.
pub(crate) async fn parked_turns(log: &Log<'_>) -> Result<Vec<ParkedTurn>, Error> {
    let imported = imported::head(log.store(), log.conversation()).await?;
    let (mut calls, mut turns) = (OpenCalls::default(), BTreeMap::new());
    for (entry, position) in log.entries().iter().zip(1_u64..) {
        calls.push(entry, |_| ());
        if position > imported {
            read(entry, &mut turns);
        }
    }
    let open: BTreeSet<u32> = calls.into_calls().map(|(turn, ..)| turn).collect();
    let last = log.last_turn();
    let is_waiting = |turn: &u32| {
        let stops = |entry: &Entry| matches!(entry.event, Event::Cancelled { .. });
        let of_turn = |entry: &&Entry| entry.turn == Some(*turn);
        open.contains(turn) || *turn == last && !log.entries().iter().filter(of_turn).any(stops)
    };
    Ok(turns.into_values().filter(|parked: &ParkedTurn| is_waiting(&parked.turn)).collect())
}

/// Reads the next entry of a log into the turns that wait.
fn read(entry: &Entry, turns: &mut BTreeMap<u32, ParkedTurn>) {
    let Some(turn) = entry.turn else { return };
    match &entry.event {
        // A new prompt drops what an earlier run left open.
        Event::User { steer: false, .. } => turns.clear(),
        Event::Parked(parked) => {
            let parked = parked.clone();
            turns.insert(turn, ParkedTurn { turn, parked, answers: Vec::new() });
        }
        Event::Approval(approval) if approval.state != ApprovalState::Asked => {
            if let Some(parked) = turns.get_mut(&turn) {
                parked.answers.push(approval.clone());
            }
        }
        _ => {}
    }
}

/// Returns the questions of these turns whose calls have no result, with the answers that are
/// stored.
pub(crate) fn questions(log: &Log<'_>, turns: &[ParkedTurn]) -> Vec<ParkedQuestion> {
    let mut calls = OpenCalls::default();
    for entry in log.entries() {
        calls.push(entry, |_| ());
    }
    let open: BTreeSet<_> = calls.into_calls().map(|(turn, id, ())| (turn, id)).collect();
    let of_turn = |parked: &ParkedTurn| {
        let turn = parked.turn;
        let questions = parked.parked.questions.iter().map(move |question| ParkedQuestion {
            turn,
            question: question.clone(),
            answer: parked.answer(question).map(|answer| answer.state),
        });
        Vec::from_iter(questions.filter(|asked| open.contains(&(turn, asked.question.id.clone()))))
    };
    turns.iter().flat_map(of_turn).collect()
}

/// Returns the approvals that record these answers, with their turns.
///
/// # Errors
///
/// Returns [`ErrorKind::Refused`] if the conversation does not wait for one of the answers: the
/// question is gone or answered, or it is another one by now.
pub(crate) fn approvals(
    asked: &[ParkedQuestion],
    answers: &[QuestionAnswer],
) -> Result<Vec<(u32, Approval)>, Error> {
    let mut answered = BTreeSet::new();
    let mut approvals = Vec::new();
    for QuestionAnswer { turn, question, decision } in answers {
        let name = id(*turn, &question.id);
        let refuse = |why: String| Err(Error::new(ErrorKind::Refused, why));
        let Some(asked) = asked.iter().find(|asked| asked.id() == name) else {
            return refuse(format!(
                "the question `{name}` is gone: the conversation has continued without an answer, \
                 or never asked it"
            ));
        };
        if asked.question != *question {
            return refuse(format!(
                "the question `{name}` has changed: it is about other arguments or another target \
                 by now; look at it again"
            ));
        }
        if let Some(state) = asked.answer {
            return refuse(format!(
                "the question `{name}` is answered already: {}",
                state.as_str()
            ));
        }
        if !answered.insert(name.clone()) {
            return refuse(format!("the question `{name}` is answered twice; answer it once"));
        }
        approvals.extend(approval(question, decision).map(|approval| (*turn, approval)));
    }
    Ok(approvals)
}

/// Returns the event that records an answer, or `None` for a question that stays open.
fn approval(question: &OpenQuestion, decision: &ApprovalDecision) -> Option<Approval> {
    let (state, scope, reason) = match decision {
        ApprovalDecision::Allow(ApprovalScope::Once) => (ApprovalState::Allowed, None, None),
        ApprovalDecision::Allow(ApprovalScope::Conversation) => {
            (ApprovalState::Allowed, Some(question.scope.clone()), None)
        }
        ApprovalDecision::Deny(reason) => (ApprovalState::Denied, None, Some(reason.clone())),
        ApprovalDecision::Park => return None,
    };
    let (args_sha256, target) = (Some(question.args_sha256.clone()), question.target.clone());
    Some(Approval { id: question.id.clone(), state, args_sha256, target, scope, reason })
}

fn id(turn: u32, call: &str) -> String {
    format!("{turn}/{call}")
}
