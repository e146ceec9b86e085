//! What the approver at a terminal asks of the command: rules that are kept, the mode of the session,
//! and questions that are not asked.

use std::path::Path;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use silcrow_console::approve::{ModeWatch, RuleKeeper, UnaskedQuestion};
use silcrow_exec::ApprovalRequest;
use silcrow_policy::{LeaveQuestion, ProposedRule};
use silcrow_settings::KeptRules;

use crate::args::OnQuestion;
use crate::session_mode::SessionMode;

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

impl ModeWatch for SessionMode {
    fn denial<'a>(&'a self, question: ApprovalRequest<'a>) -> BoxFuture<'a, String> {
        self.changes().denial(question).boxed()
    }

    fn asks_to_leave(&self, question: ApprovalRequest<'_>) -> Option<LeaveQuestion> {
        Self::asks_to_leave(self, question)
    }

    fn let_out(&self, asked: LeaveQuestion) {
        Self::let_out(self, asked);
    }

    fn lets_out(&self, question: ApprovalRequest<'_>) -> bool {
        Self::lets_out(self, question)
    }
}

impl From<OnQuestion> for UnaskedQuestion {
    fn from(choice: OnQuestion) -> Self {
        match choice {
            OnQuestion::Park => Self::Park,
            OnQuestion::Deny => Self::Deny,
        }
    }
}
