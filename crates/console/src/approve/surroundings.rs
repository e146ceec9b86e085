//! The services that an approver needs of the program around it: keeping rules, and watching the
//! permission mode.

use std::error::Error;
use std::fmt;
use std::path::Path;
use std::str::FromStr;

use futures_util::future::BoxFuture;
use silcrow_policy::{LeaveQuestion, ProposedRule};
use silcrow_tool::ApprovalRequest;

use crate::live::PlanAnswer;

/// The fate of a question that nobody is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "a question that is not asked waits or is answered")]
pub enum UnaskedQuestion {
    /// It waits, and the run continues when it is answered.
    Park,
    /// The call is denied, and the model reads why.
    Deny,
}

impl FromStr for UnaskedQuestion {
    type Err = UnknownFate;

    /// Reads the word of settings.
    ///
    /// ```
    /// use silcrow_console::approve::UnaskedQuestion;
    ///
    /// assert_eq!("park".parse(), Ok(UnaskedQuestion::Park));
    /// assert!("wait".parse::<UnaskedQuestion>().is_err());
    /// ```
    fn from_str(word: &str) -> Result<Self, UnknownFate> {
        match word {
            "park" => Ok(Self::Park),
            "deny" => Ok(Self::Deny),
            _ => Err(UnknownFate(())),
        }
    }
}

/// The error for a word that names no fate of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownFate(());

impl fmt::Display for UnknownFate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("use park or deny")
    }
}

impl Error for UnknownFate {}

/// Proposes and keeps the rules of answers that hold for a folder.
///
/// ```
/// use std::path::Path;
///
/// use silcrow_console::approve::RuleKeeper;
/// use silcrow_policy::ProposedRule;
/// use silcrow_tool::ApprovalRequest;
///
/// struct NoRules;
///
/// impl RuleKeeper for NoRules {
///     fn propose(&self, _question: ApprovalRequest<'_>) -> Option<ProposedRule> {
///         None
///     }
///     fn file(&self) -> &Path {
///         Path::new("policy.toml")
///     }
///     fn keep(&self, _rule: &ProposedRule) -> Result<(), String> {
///         Err("the rule is not kept, because there is no file for it".to_owned())
///     }
/// }
/// # assert!(NoRules.propose(ApprovalRequest::new("a1", "t", "{}")).is_none());
/// ```
pub trait RuleKeeper: Send + Sync {
    /// Returns the rule that would allow such calls in the folder of this run, or `None` for a call
    /// that no rule may allow.
    fn propose(&self, question: ApprovalRequest<'_>) -> Option<ProposedRule>;

    /// Returns the file that keeps the rules, which the question names.
    fn file(&self) -> &Path;

    /// Keeps a rule, for this run and in the file. It may block.
    ///
    /// # Errors
    ///
    /// Returns in words for the person why the rule is not kept. The question is then asked again.
    fn keep(&self, rule: &ProposedRule) -> Result<(), String>;
}

/// Watches the permission mode, which a person may change instead of answering.
///
/// ```
/// use futures_util::FutureExt as _;
/// use futures_util::future::{BoxFuture, pending};
/// use silcrow_console::approve::ModeWatch;
/// use silcrow_tool::ApprovalRequest;
///
/// /// A mode that never changes.
/// struct OneMode;
///
/// impl ModeWatch for OneMode {
///     fn denial<'a>(&'a self, _question: ApprovalRequest<'a>) -> BoxFuture<'a, String> {
///         pending().boxed()
///     }
/// }
/// ```
pub trait ModeWatch: Send + Sync {
    /// Waits until the person chooses a mode that denies the call of an open question, and returns the
    /// words for the model. Changes count from this call on, and not from the first poll.
    fn denial<'a>(&'a self, question: ApprovalRequest<'a>) -> BoxFuture<'a, String>;

    /// Returns the subject of a question that is only whether the call may leave the sandbox, in
    /// the mode `full`. By default no mode remembers such an answer.
    fn asks_to_leave(&self, _question: ApprovalRequest<'_>) -> Option<LeaveQuestion> {
        None
    }

    /// Remembers a yes to such a question until the mode changes.
    fn let_out(&self, _asked: LeaveQuestion) {}

    /// Takes the person's remark about the plan that they accept now. By default nothing.
    fn accept_plan(&self, _answer: PlanAnswer) {}

    /// Returns whether a yes that is remembered answers a question about leaving the sandbox, which was
    /// made before that yes. By default none does.
    fn lets_out(&self, _question: ApprovalRequest<'_>) -> bool {
        false
    }
}
