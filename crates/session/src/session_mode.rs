//! The permission mode of a run or a session, which its person changes while the agent works.
//!
//! This module has the order of the modes, and finds the open questions that a narrower mode
//! answers.

use std::future::pending;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use silcrow_event::{CallKind, Grant};
use silcrow_policy::{LeaveQuestion, PermissionMode, SharedPolicy};
use silcrow_settings::ToolPolicies;
use silcrow_tool::{ApprovalRequest, Permission, Permissions as _};
use tokio::sync::watch;

use crate::error::Error;

/// Changes the mode of a policy, and notifies waiting questions.
///
/// ```
/// use std::sync::Arc;
///
/// use silcrow_policy::{PermissionMode, Policy, SharedPolicy};
/// use silcrow_session::SessionMode;
/// use silcrow_settings::ToolPolicies;
/// use silcrow_tool::Toolbox;
///
/// let policy = Arc::new(SharedPolicy::new(Policy::new(PermissionMode::Workspace)));
/// let mode = SessionMode::new(&policy, &ToolPolicies::from_tools(&Toolbox::new()));
/// mode.set(PermissionMode::Plan)?;
/// assert_eq!(policy.mode(), PermissionMode::Plan);
/// // The plan is carried out with the rights that were there before it.
/// assert_eq!(mode.after_plan(), PermissionMode::Workspace);
/// # Ok::<_, silcrow_session::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct SessionMode {
    policy: Arc<SharedPolicy>,
    tools: ToolPolicies,
    changed: watch::Sender<PermissionMode>,
    /// The mode that follows an accepted plan, unless it is `ask`.
    after_plan: Arc<Mutex<Option<PermissionMode>>>,
    /// The person's remarks on the plan that they accepted last.
    accepted: Arc<Mutex<AcceptedPlan>>,
}

/// The choices of a person who accepts a plan.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "who asks has to know all of it")]
pub struct AcceptedPlan {
    /// The plan as the person saved it, if they have changed it.
    pub saved: Option<String>,
    /// Whether the plan takes the place of the conversation before it.
    pub replaces_talk: bool,
}

impl SessionMode {
    /// Creates the mode of a policy. `tools` has the policies of all tools that calls may name.
    pub fn new(policy: &Arc<SharedPolicy>, tools: &ToolPolicies) -> Self {
        let changed = watch::Sender::new(policy.mode());
        let (after_plan, accepted) = (Arc::default(), Arc::default());
        let (policy, tools) = (Arc::clone(policy), tools.clone());
        Self { policy, tools, changed, after_plan, accepted }
    }

    /// Returns the policy whose mode this is.
    pub const fn policy(&self) -> &Arc<SharedPolicy> {
        &self.policy
    }

    /// Returns the mode that counts now.
    pub fn mode(&self) -> PermissionMode {
        self.policy.mode()
    }

    /// Sets the mode, which counts from the next decision on.
    pub fn set(&self, mode: PermissionMode) -> Result<(), Error> {
        let before = self.mode();
        self.policy.set_mode(mode).map_err(|error| Error::given(error.to_string()))?;
        // A plan is carried out with the rights from before it.
        if mode == PermissionMode::Plan && before != PermissionMode::Plan {
            let wider = before != PermissionMode::Full && !before.reads_only();
            *self.after() = wider.then_some(before);
        }
        self.changed.send_replace(mode);
        Ok(())
    }

    /// Returns the mode in which an accepted plan is carried out: the mode before plan mode, if it
    /// lets calls change something, otherwise `ask`.
    pub fn after_plan(&self) -> PermissionMode {
        let before = *self.after();
        before.unwrap_or(PermissionMode::Ask).narrowed_by(self.policy.widest())
    }

    /// Sets the mode in which the plan that is being accepted is carried out.
    pub fn set_after_plan(&self, mode: PermissionMode) {
        *self.after() = Some(mode);
    }

    /// Takes the choices of the person about the plan that they accept now. The call of the plan
    /// reads it once.
    pub fn accept_plan(&self, accepted: AcceptedPlan) {
        *self.accepted.lock().unwrap_or_else(PoisonError::into_inner) = accepted;
    }

    /// Removes and returns the person's words about the accepted plan.
    pub(crate) fn take_accepted(&self) -> AcceptedPlan {
        std::mem::take(&mut self.accepted.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Ends plan mode, and returns the mode that counts from now on.
    pub(crate) fn leave_plan(&self) -> PermissionMode {
        if self.mode() == PermissionMode::Plan {
            // A mode that the project does not allow leaves plan mode as it is.
            let _ = self.set(self.after_plan());
        }
        self.mode()
    }

    fn after(&self) -> MutexGuard<'_, Option<PermissionMode>> {
        self.after_plan.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets the mode that follows this one, and returns it: `ask`, `workspace`, `plan`, and again
    /// `ask`. A mode that the project does not allow is left out, and the mode `full` is only
    /// left.
    pub fn cycle(&self) -> PermissionMode {
        let mut next = self.mode();
        for _ in PermissionMode::ALL {
            next = following(next);
            if self.set(next).is_ok() {
                break;
            }
        }
        self.mode()
    }

    /// Returns the action of the key that changes the mode.
    pub fn key(&self) -> impl Fn() -> PermissionMode + Send + 'static {
        let mode = self.clone();
        move || mode.cycle()
    }

    /// Returns the changes of the mode from now on.
    pub fn changes(&self) -> ModeChanges<'_> {
        ModeChanges { mode: self, changes: self.changed.subscribe() }
    }

    /// Returns the question for a person if it is only whether the call may leave the sandbox, in
    /// the mode `full`.
    pub fn asks_to_leave(&self, question: ApprovalRequest<'_>) -> Option<LeaveQuestion> {
        self.tools.request(question, |request| self.policy.asks_to_leave(request)).flatten()
    }

    /// Remembers a yes to such a question until the mode changes.
    pub fn let_out(&self, asked: LeaveQuestion) {
        self.policy.let_out(asked);
    }

    /// Returns whether a yes that is remembered answers a question about leaving the sandbox that was
    /// made before.
    pub fn lets_out(&self, question: ApprovalRequest<'_>) -> bool {
        let decide = || self.tools.request(question, |request| self.policy.decide(request));
        question.grants.covers(&Grant::Outside)
            && self.mode() == PermissionMode::Full
            && decide() == Some(Permission::Allow)
    }

    /// Returns whether the present mode denies the call of a question. For a call of an agent or a
    /// workflow, the calls in it are decided separately.
    fn denies(&self, question: ApprovalRequest<'_>) -> bool {
        let decided = self.tools.request(question, |request| self.policy.decide(request));
        match decided {
            Some(permission) => matches!(permission, Permission::Deny(_)),
            // Its changes are unknown.
            None => question.kind == CallKind::Tool && self.mode().reads_only(),
        }
    }
}

/// The changes of a mode after a call was decided about.
#[derive(Debug)]
pub struct ModeChanges<'a> {
    mode: &'a SessionMode,
    changes: watch::Receiver<PermissionMode>,
}

impl ModeChanges<'_> {
    /// Waits until the person chooses a mode that denies the call of an open question, and returns
    /// the words for the model. A mode that would let the call run does not answer the question.
    pub async fn denial(mut self, question: ApprovalRequest<'_>) -> String {
        while self.changes.changed().await.is_ok() {
            let mode = *self.changes.borrow_and_update();
            if self.mode.denies(question) {
                return format!(
                    "the person chose the mode `{mode}` instead of an answer, and this call does not \
                     run in it"
                );
            }
        }
        pending().await
    }
}

const fn following(mode: PermissionMode) -> PermissionMode {
    match mode {
        PermissionMode::Ask => PermissionMode::Workspace,
        PermissionMode::Workspace => PermissionMode::Plan,
        PermissionMode::Plan | PermissionMode::ReadOnly | PermissionMode::Full => {
            PermissionMode::Ask
        }
    }
}

#[cfg(test)]
mod tests {
    use silcrow_policy::Policy;
    use silcrow_tool::Toolbox;

    use super::*;

    fn session(widest: PermissionMode, mode: PermissionMode) -> SessionMode {
        let policy = SharedPolicy::new(Policy::new(mode)).with_widest(widest);
        SessionMode::new(&Arc::new(policy), &ToolPolicies::from_tools(&Toolbox::new()))
    }

    #[test]
    fn modes_stay_within_the_projects_limit() {
        use PermissionMode::{Ask, Full, Plan, ReadOnly, Workspace};
        for (widest, mode, expected) in [
            (Full, Ask, [Workspace, Plan, Ask, Workspace]),
            (Full, Full, [Ask, Workspace, Plan, Ask]),
            (Ask, Ask, [Plan, Ask, Plan, Ask]),
            (ReadOnly, ReadOnly, [Plan, Plan, Plan, Plan]),
        ] {
            let session = session(widest, mode);
            assert_eq!(expected.map(|_| session.cycle()), expected, "{widest} {mode}");
        }
    }

    #[test]
    fn accepted_plan_runs_with_the_earlier_rights() {
        use PermissionMode::{Ask, Full, Plan, ReadOnly, Workspace};
        for (widest, before, after) in [
            (Full, Ask, Ask),
            (Full, Workspace, Workspace),
            (Full, Full, Ask),
            (Full, ReadOnly, Ask),
            (ReadOnly, ReadOnly, ReadOnly),
        ] {
            let session = session(widest, before);
            session.set(Plan).unwrap();
            assert_eq!(session.after_plan(), after, "{before}");
            assert_eq!(session.leave_plan(), after, "{before}");
            assert_eq!(session.leave_plan(), after, "nothing is left twice");
        }
        let session = session(Full, Ask);
        session.set(Plan).unwrap();
        session.set_after_plan(Workspace);
        assert_eq!(session.leave_plan(), Workspace);
    }

    #[tokio::test]
    async fn only_a_denying_mode_answers_the_question() {
        let session = session(PermissionMode::Full, PermissionMode::Ask);
        let question = ApprovalRequest::new("a1", "mail.send", "{}");
        let mut denial = Box::pin(session.changes().denial(question));
        for mode in [PermissionMode::Workspace, PermissionMode::Full, PermissionMode::Ask] {
            session.set(mode).unwrap();
            assert!(futures_util::poll!(&mut denial).is_pending(), "{mode}");
        }
        session.set(PermissionMode::ReadOnly).unwrap();
        assert!(denial.await.contains("the mode `read-only`"));
    }
}
