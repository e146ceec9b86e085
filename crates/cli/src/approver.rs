//! What the approver at a terminal asks of the command: rules that are kept, the mode of the session,
//! and questions that are not asked.

use std::path::Path;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use silcrow_console::approve::{ModeWatch, RuleKeeper};
use silcrow_policy::{LeaveQuestion, ProposedRule};
use silcrow_session::SessionMode;
use silcrow_settings::KeptRules;
use silcrow_tool::ApprovalRequest;

/// The rules that a person keeps by their answers.
pub(crate) struct PersonRules(pub(crate) KeptRules);

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
pub(crate) struct WatchedMode(pub(crate) SessionMode);

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

    fn lets_out(&self, question: ApprovalRequest<'_>) -> bool {
        self.0.lets_out(question)
    }
}
