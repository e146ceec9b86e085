//! The runner of a turn, made of the agent's tools, bounds and approver and the person's grants.

use std::sync::Arc;

use silcrow_context::ModelLimits;
use silcrow_event::{Approval, ApprovalState, Event};
use silcrow_exec::{ApprovalSubject, CallUpdate, Runner, RunnerLimits};
use silcrow_tool::{ApprovalDecision, ApprovalScope, Scope, Toolbox};

use crate::log::{Log, StoredApproval};
use crate::parked_answer::ParkedAnswer;
use crate::parts::AgentParts;
use crate::window::completed;

/// Creates the runner of a turn that marks each call that it starts (P-28).
pub(crate) fn runner(
    parts: &AgentParts,
    tools: &Arc<Toolbox>,
    scope: &Scope,
    log: &Log<'_>,
    turn: u32,
) -> Runner {
    unmarked(parts, tools, scope, log, turn)
        .with_journal(log.marks(parts.store.clone(), turn))
        .with_start_updates()
}

/// Creates the runner of a turn that marks nothing.
pub(crate) fn unmarked(
    parts: &AgentParts,
    tools: &Arc<Toolbox>,
    scope: &Scope,
    log: &Log<'_>,
    turn: u32,
) -> Runner {
    let mut inside = scope.clone().with_turn(turn);
    // Without a recorded trace, servers get no trace context.
    let is_traced = scope.trace.is_some() || parts.observer.is_some();
    inside.trace = is_traced.then(|| log.trace(scope.trace)).flatten();
    let mut runner = Runner::new(Arc::clone(tools), parts.approver.clone())
        .with_limits(within_window(parts.options.runner, completed_limits(parts).context))
        .with_validator(parts.validator.clone())
        .with_scope(inside);
    if let Some(spill) = &parts.spill {
        runner = runner.with_spill(spill.clone());
    }
    if let Some(recorded) = &parts.replayed {
        runner = runner.with_recorded(recorded.clone());
    }
    for StoredApproval { kind, name, scope } in log.grants() {
        runner.grant(*kind, name, scope);
    }
    runner
}

/// Returns limits with which no result takes more than a quarter of a window of tokens.
pub(crate) fn within_window(limits: RunnerLimits, window: Option<u64>) -> RunnerLimits {
    let Some(window) = window else { return limits };
    // Numbers and signs are nearly a token each, so a result of as many bytes is surely short enough.
    let quarter = usize::try_from(window / 4).unwrap_or(usize::MAX).max(LEAST_OUTPUT);
    RunnerLimits { output_cap: limits.output_cap.min(quarter), ..limits }
}

/// The bytes of a result that even the smallest window has room for.
const LEAST_OUTPUT: usize = 256;

fn completed_limits(parts: &AgentParts) -> ModelLimits {
    completed(parts.options.model, &parts.later_limits, parts.presumed_limits)
}

/// Gives a runner the answers to questions of an earlier run. The last answer about a call counts.
pub(crate) fn give_answers(runner: &mut Runner, answers: &[ParkedAnswer]) {
    for answer in answers {
        let Some(subject) = answer.subject() else { continue };
        let Approval { id, state, reason, .. } = &answer.approval;
        let denied = match state {
            ApprovalState::Allowed => None,
            ApprovalState::Asked | ApprovalState::Denied => {
                Some(reason.clone().unwrap_or_default())
            }
        };
        runner.give_answer(id, subject, denied);
    }
}

/// Returns the event that records a question or its answer, or `None` for other updates.
pub(crate) fn approval(news: CallUpdate) -> Option<Event> {
    let (id, subject, state, scope, reason) = match news {
        CallUpdate::Asked { id, subject } => (id, subject, ApprovalState::Asked, None, None),
        CallUpdate::Answered { id, subject, answer, scope } => {
            let (state, scope, reason) = match answer {
                ApprovalDecision::Allow(ApprovalScope::Once) => {
                    (ApprovalState::Allowed, None, None)
                }
                ApprovalDecision::Allow(ApprovalScope::Conversation | ApprovalScope::Wider(_)) => {
                    (ApprovalState::Allowed, Some(scope), None)
                }
                ApprovalDecision::Deny(reason) => (ApprovalState::Denied, None, Some(reason)),
                // An answer to several questions is reported as one for each.
                ApprovalDecision::Park | ApprovalDecision::Items { .. } => return None,
            };
            (id, subject, state, scope, reason)
        }
        _ => return None,
    };
    let ApprovalSubject { args_sha256, target, risk, grants, .. } = subject;
    let args_sha256 = Some(args_sha256);
    Some(Event::Approval(Approval { id, state, args_sha256, target, risk, scope, grants, reason }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn result_takes_quarter_of_window_at_most() {
        for (window, cap) in [
            (None, 30_000),
            (Some(1_000_000), 30_000),
            (Some(32_768), 8192),
            (Some(u64::MAX), 30_000),
            (Some(10), LEAST_OUTPUT),
        ] {
            let limits = RunnerLimits { output_cap: 30_000, ..RunnerLimits::default() };
            assert_eq!(within_window(limits, window).output_cap, cap, "{window:?}");
        }
    }
}
