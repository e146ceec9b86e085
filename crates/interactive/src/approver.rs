//! The services of a session for the approver at a terminal: keeping rules, and the permission
//! mode.

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
///
/// ```
/// use std::path::Path;
/// use std::sync::Arc;
///
/// use silcrow_console::approve::RuleKeeper as _;
/// use silcrow_interactive::PersonRules;
/// use silcrow_policy::{PermissionMode, Policy, SharedPolicy};
/// use silcrow_settings::{KeptRules, ToolPolicies};
/// use silcrow_tool::Toolbox;
///
/// let policy = Arc::new(SharedPolicy::new(Policy::new(PermissionMode::Ask)));
/// let tools = ToolPolicies::from_tools(&Toolbox::new());
/// let rules = PersonRules::new(KeptRules::new(&policy, &tools, "policy.toml".into()));
/// // A question names the file in which a rule would be kept.
/// assert_eq!(rules.file(), Path::new("policy.toml"));
/// ```
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
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// use std::sync::Arc;
///
/// use silcrow_console::approve::ModeWatch as _;
/// use silcrow_interactive::WatchedMode;
/// use silcrow_policy::{PermissionMode, Policy, SharedPolicy};
/// use silcrow_session::SessionMode;
/// use silcrow_settings::ToolPolicies;
/// use silcrow_tool::{ApprovalRequest, Toolbox};
///
/// let policy = Arc::new(SharedPolicy::new(Policy::new(PermissionMode::Ask)));
/// let mode = SessionMode::new(&policy, &ToolPolicies::from_tools(&Toolbox::new()));
/// let watched = WatchedMode::new(&mode);
/// // While the question waits, the person chooses a mode in which the call does not run.
/// let denial = watched.denial(ApprovalRequest::new("a1", "file_write", "{}"));
/// mode.set(PermissionMode::Plan)?;
/// assert!(denial.await.starts_with("the person chose the mode `plan`"));
/// # Ok::<_, silcrow_session::Error>(())
/// # }).unwrap();
/// ```
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
