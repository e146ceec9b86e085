use silcrow_event::{Approval, ApprovalState, Event};
use silcrow_exec::{ApprovalDecision, ApprovalScope, CallUpdate, Runner, Scope};

use crate::agent::Agent;
use crate::log::{Grant, Log};

/// A runner for a turn of a conversation, which knows what the person allowed for all of it, and
/// marks each call that it starts.
pub(crate) fn runner(agent: &Agent, log: &Log<'_>, turn: u32) -> Runner {
    unmarked(agent, log, turn).with_journal(log.marks(agent.store.clone(), turn))
}

/// The same, which marks nothing.
pub(crate) fn unmarked(agent: &Agent, log: &Log<'_>, turn: u32) -> Runner {
    let Agent { tools, approver, validator, settings, root, spill, budget, .. } = agent;
    let mut scope =
        Scope::new(log.conversation()).with_turn(turn).with_agent_path(agent.path.clone());
    scope.root.clone_from(root);
    scope.user = log.user().map(str::to_owned);
    scope.budget.clone_from(budget);
    let runner = Runner::new(tools.clone(), approver.clone())
        .with_limits(*settings)
        .with_validator(validator.clone())
        .with_scope(scope);
    let mut runner = match spill {
        Some(spill) => runner.with_spill(spill.clone()),
        None => runner,
    };
    for Grant { kind, name, scope } in log.grants() {
        runner.grant(*kind, name, scope);
    }
    runner
}

/// What is stored of a question and of its answer.
pub(crate) fn approval(news: CallUpdate) -> Option<Event> {
    let (id, subject, state, scope, reason) = match news {
        CallUpdate::Asked { id, subject } => (id, subject, ApprovalState::Asked, None, None),
        CallUpdate::Answered { id, subject, answer, scope } => {
            let (state, scope, reason) = match answer {
                ApprovalDecision::Allow(ApprovalScope::Once) => {
                    (ApprovalState::Allowed, None, None)
                }
                ApprovalDecision::Allow(ApprovalScope::Conversation) => {
                    (ApprovalState::Allowed, Some(scope), None)
                }
                ApprovalDecision::Deny(reason) => (ApprovalState::Denied, None, Some(reason)),
            };
            (id, subject, state, scope, reason)
        }
        _ => return None,
    };
    let (args_sha256, target) = (Some(subject.args_sha256), subject.target);
    Some(Event::Approval(Approval { id, state, args_sha256, target, scope, reason }))
}
