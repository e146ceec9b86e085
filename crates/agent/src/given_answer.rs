//! Answers on their way into the log: each question takes one.
//!
//! ```text
//! the questions are open ─► append at the head that was read ─► stored
//!          ▲                           │ somebody else was first
//!          └───────────────────────────┘
//! ```

use std::collections::BTreeSet;

use silcrow_event::{Approval, ApprovalState, Entry, Event, OpenQuestion};
use silcrow_store as store;
use silcrow_tool::{ApprovalDecision, ApprovalScope};

use crate::error::{Error, ErrorKind};
use crate::log::Log;
use crate::questions::{ParkedQuestion, QuestionAnswer, parked_turns};

/// Returns the approvals that record these answers.
///
/// # Errors
///
/// Returns [`ErrorKind::Refused`] if the conversation does not wait for one of the answers: the
/// question is gone or answered, or it is another one by now.
pub(crate) fn approvals(
    asked: &[ParkedQuestion],
    answers: &[QuestionAnswer],
) -> Result<Vec<GivenAnswer>, Error> {
    let mut answered = BTreeSet::new();
    let mut approvals = Vec::new();
    for QuestionAnswer { id: name, question, decision } in answers {
        let refuse = |why: String| Err(Error::new(ErrorKind::Refused, why));
        let Some(asked) = asked.iter().find(|asked| asked.id() == name) else {
            return refuse(format!(
                "the question `{name}` is gone: the conversation has continued without an answer, \
                 or never asked it"
            ));
        };
        if asked.question != *question {
            return refuse(format!(
                "the question `{name}` has changed: it is about other arguments, another target, \
                 another risk or other lines by now; look at it again"
            ));
        }
        if let ApprovalDecision::Allow(ApprovalScope::Wider(index)) = decision
            && *index >= question.wider_scopes.len()
        {
            return refuse(format!(
                "the question `{name}` has {} wider scopes, so the index {index} is out of range",
                question.wider_scopes.len()
            ));
        }
        if let Some(state) = asked.answer {
            return Err(answered_already(name, state));
        }
        if !answered.insert(name) {
            return refuse(format!("the question `{name}` is answered twice; answer it once"));
        }
        let (conversation, turn) = (&asked.conversation, asked.turn);
        approvals.extend(approval(question, decision).map(|approval| GivenAnswer {
            question: name.clone(),
            conversation: conversation.clone(),
            turn,
            approval,
        }));
    }
    Ok(approvals)
}

/// Returns the event that records an answer, or `None` for a question that stays open.
fn approval(question: &OpenQuestion, decision: &ApprovalDecision) -> Option<Approval> {
    let (state, scope, reason) = match &decision.about(0) {
        ApprovalDecision::Allow(ApprovalScope::Once) => (ApprovalState::Allowed, None, None),
        ApprovalDecision::Allow(ApprovalScope::Conversation) => {
            (ApprovalState::Allowed, Some(question.scope.clone()), None)
        }
        ApprovalDecision::Allow(ApprovalScope::Wider(index)) => {
            let scope = question.wider_scopes.get(*index).unwrap_or(&question.scope);
            (ApprovalState::Allowed, Some(scope.clone()), None)
        }
        ApprovalDecision::Deny(reason) => (ApprovalState::Denied, None, Some(reason.clone())),
        ApprovalDecision::Park | ApprovalDecision::Items { .. } => return None,
    };
    let OpenQuestion { id, args_sha256, target, risk, grants, .. } = question.clone();
    let args_sha256 = Some(args_sha256);
    Some(Approval { id, state, args_sha256, target, risk, scope, grants, reason })
}

/// An answer that fits its question.
pub(crate) struct GivenAnswer {
    /// The id of the question.
    question: String,
    conversation: String,
    turn: u32,
    approval: Approval,
}

/// Stores answers in the log of the conversation that waits, and in the conversations inside it. The
/// person's message beside them follows in the last turn of the log.
///
/// # Errors
///
/// Returns [`ErrorKind::Refused`] if somebody else has answered one of the questions in the meantime.
/// Then no answer is stored in the conversation of that question.
pub(crate) async fn store_answers(
    log: &mut Log<'_>,
    given: &[GivenAnswer],
    message: Option<&str>,
) -> Result<(), Error> {
    let mut names: Vec<&str> = given.iter().map(|given| &*given.conversation).collect();
    names.retain(|name| *name != log.conversation());
    names.sort_unstable();
    names.dedup();
    for name in names {
        let mut inner = Log::read(log.store(), name, log.user()).await?;
        inner.set_root(log.root());
        store_own(&mut inner, given, None).await?;
    }
    let message = message.map(|text| (log.last_turn(), Event::steer(text)));
    store_own(log, given, message).await
}

/// Stores the answers that belong to the conversation of a log, if their questions are open at the
/// head at which they are stored.
async fn store_own(
    log: &mut Log<'_>,
    given: &[GivenAnswer],
    message: Option<(u32, Event)>,
) -> Result<(), Error> {
    let own = given.iter().filter(|given| given.conversation == log.conversation());
    let own: Vec<_> = own.collect();
    let events = own.iter().map(|given| (given.turn, Event::Approval(given.approval.clone())));
    let events: Vec<_> = events.chain(message).collect();
    if events.is_empty() {
        return Ok(());
    }
    let mut batch = log.batch(events)?;
    loop {
        check_open(log, &own).await?;
        match log.try_append(&mut batch).await {
            Ok(()) => break,
            Err(error) if error.kind() != store::ErrorKind::Conflict => return Err(error.into()),
            Err(_) if log.refresh().await? => {}
            Err(conflict) => {
                let overtaken = overtaken(log, &own).await;
                return Err(overtaken.unwrap_or_else(|| conflict.into()));
            }
        }
    }
    for GivenAnswer { turn, approval, .. } in own {
        if let Some(scope) = &approval.scope {
            log.grant(*turn, &approval.id, scope).await?;
        }
    }
    Ok(())
}

/// Returns an error if the part of the log that was read already answers one of the questions.
async fn check_open(log: &Log<'_>, own: &[&GivenAnswer]) -> Result<(), Error> {
    let parked = parked_turns(log).await?;
    for given in own {
        let asked = parked.iter().find(|parked| parked.turn == given.turn).and_then(|parked| {
            let questions = &parked.parked.questions;
            let asked = questions.iter().find(|asked| asked.id == given.approval.id);
            parked.answer(asked?)
        });
        if let Some(answer) = asked {
            return Err(answered_already(&given.question, answer.state));
        }
    }
    Ok(())
}

/// Returns the error if the run has continued with other answers to these questions.
async fn overtaken(log: &Log<'_>, own: &[&GivenAnswer]) -> Option<Error> {
    let later = Log::read(log.store(), log.conversation(), log.user()).await.ok()?;
    let new: Vec<_> = later.positioned().filter(|(_, at)| *at > log.head()).collect();
    own.iter().find_map(|given| {
        let state = new.iter().find_map(|(entry, _)| {
            stored_answer(entry, given.turn).filter(|answer| answer.id == given.approval.id)
        });
        Some(answered_already(&given.question, state?.state))
    })
}

/// Returns the answer to a question of a turn that an entry is.
pub(crate) fn stored_answer(entry: &Entry, turn: u32) -> Option<&Approval> {
    match &entry.event {
        Event::Approval(answer)
            if entry.turn == Some(turn)
                && answer.state != ApprovalState::Asked
                && !answer.is_at_wall() =>
        {
            Some(answer)
        }
        _ => None,
    }
}

/// Returns the error of a second answer to a question.
pub(crate) fn answered_already(question: &str, state: ApprovalState) -> Error {
    let why = format!("the question `{question}` is answered already: {}", state.as_str());
    Error::new(ErrorKind::Refused, why)
}
