//! What the approver at a terminal asks of a session: rules that are kept, and the permission mode.

use std::path::Path;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use silcrow_console::approve::{ModeWatch, RuleKeeper};
use silcrow_console::live::PlanAnswer;
use silcrow_policy::{LeaveQuestion, PermissionMode, ProposedRule};
use silcrow_session::{AcceptedPlan, SessionMode};
use silcrow_settings::KeptRules;
use silcrow_tool::ApprovalRequest;

/// The rules that a person keeps by their answers.
#[derive(Debug)]
pub struct PersonRules(KeptRules);

impl PersonRules {
    /// Keeps rules in the file of a session or of one call.
    pub const fn new(rules: KeptRules) -> Self {
        Self(rules)
    }
}

impl RuleKeeper for PersonRules {
    fn propose(&self, question: ApprovalRequest<'_>) -> Option<ProposedRule> {
        self.0.propose(question)
    }

    fn file(&self) -> &Path {
        self.0.file()
    }

    fn keep(&self, rule: &ProposedRule) -> Result<(), String> {
        self.0.keep(rule).map_err(|error| error.to_string())
    }
}

/// The mode of a session, while questions wait.
#[derive(Debug)]
pub struct WatchedMode(SessionMode);

impl WatchedMode {
    /// Watches the mode of a session.
    pub fn new(mode: &SessionMode) -> Self {
        Self(mode.clone())
    }
}

impl ModeWatch for WatchedMode {
    fn denial<'a>(&'a self, question: ApprovalRequest<'a>) -> BoxFuture<'a, String> {
        self.0.changes().denial(question).boxed()
    }

    fn asks_to_leave(&self, question: ApprovalRequest<'_>) -> Option<LeaveQuestion> {
        self.0.asks_to_leave(question)
    }

    fn let_out(&self, asked: LeaveQuestion) {
        self.0.let_out(asked);
    }

    fn accept_plan(&self, answer: PlanAnswer) {
        let PlanAnswer { is_free, replaces_talk, saved } = answer;
        if is_free {
            self.0.set_after_plan(PermissionMode::Workspace);
        }
        self.0.accept_plan(AcceptedPlan { saved, replaces_talk });
    }

    fn lets_out(&self, question: ApprovalRequest<'_>) -> bool {
        self.0.lets_out(question)
    }
}
