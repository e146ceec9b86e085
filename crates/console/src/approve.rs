//! Asks a person at the terminal to approve calls.
//!
//! This module tracks which tools were allowed beforehand and interprets typed answers;
//! [`question`] lays out the questions.

mod desk;
mod live_desk;
mod surroundings;

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use silcrow_event::CallKind;
use silcrow_tool::{ApprovalDecision, ApprovalRequest, ApprovalScope, Approver};

pub use desk::{LineDesk, QuestionDesk};
pub use surroundings::{ModeWatch, RuleKeeper, UnaskedQuestion, UnknownFate};

use crate::handover::Handover;
use crate::question::{self, QuestionStyle};
use crate::screen::lock;

/// Allows the tools that were allowed beforehand, and asks the person about all other calls.
///
/// An agent takes it as its approver, alone or together with the permissions of a policy
/// ([`WithPermissions`](silcrow_tool::WithPermissions)).
///
/// ```
/// use silcrow_console::approve::{QuestionDesk, TerminalApprover};
///
/// // The other end is for `AttendedRuns`, which shows the questions.
/// let (desk, _questions) = tokio::sync::mpsc::channel(16);
/// let approver = TerminalApprover::new(QuestionDesk::Live(desk)).with_allowed_tools(["file_write"]);
/// # drop(approver);
/// ```
pub struct TerminalApprover {
    allowed: BTreeSet<String>,
    /// The treatment of questions that are not asked.
    unasked: Option<UnaskedQuestion>,
    /// The keeper of rules for the folder.
    rules: Option<Arc<dyn RuleKeeper>>,
    /// The mode, which the person may change instead of an answer.
    mode: Option<Arc<dyn ModeWatch>>,
    desk: QuestionDesk,
    /// Returns the look of questions.
    style: Box<dyn Fn() -> QuestionStyle + Send + Sync>,
    /// The conversation that is replayed. In a replay every call without a recorded result is asked
    /// about.
    replayed: Option<String>,
    /// Whether the run goes on in another process, which asks its questions.
    handover: Handover,
    /// The lock of a question, because several agents may ask at the same time.
    asking: tokio::sync::Mutex<()>,
}

impl TerminalApprover {
    /// Creates an approver that asks at a desk. Questions are as wide as the terminal of the process.
    pub fn new(desk: QuestionDesk) -> Self {
        Self {
            allowed: BTreeSet::new(),
            unasked: None,
            rules: None,
            mode: None,
            desk,
            style: Box::new(QuestionStyle::of_process),
            replayed: None,
            handover: Handover::default(),
            asking: tokio::sync::Mutex::new(()),
        }
    }

    /// Sets the tools that are allowed beforehand.
    #[must_use]
    pub fn with_allowed_tools(self, tools: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self { allowed: tools.into_iter().map(Into::into).collect(), ..self }
    }

    /// Sets the function that returns the look of a question; it is called before each one.
    #[must_use]
    pub fn with_style(self, style: impl Fn() -> QuestionStyle + Send + Sync + 'static) -> Self {
        Self { style: Box::new(style), ..self }
    }

    /// Says which conversation is replayed.
    #[must_use]
    pub fn with_replayed(self, replayed: Option<String>) -> Self {
        Self { replayed, ..self }
    }

    /// Sets the keeper of rules from answers.
    #[must_use]
    pub fn with_rule_keeper(self, rules: Option<Arc<dyn RuleKeeper>>) -> Self {
        Self { rules, ..self }
    }

    /// Sets the mode that the person may change while a question waits.
    #[must_use]
    pub fn with_mode_watch(self, mode: Arc<dyn ModeWatch>) -> Self {
        Self { mode: Some(mode), ..self }
    }

    /// Sets the check whether the run continues in another process: then its questions wait, also
    /// those that are open here.
    #[must_use]
    pub fn with_handover(self, handover: &Handover) -> Self {
        Self { handover: handover.clone(), ..self }
    }

    /// Sets the treatment of questions that are not asked.
    #[must_use]
    pub fn with_unasked(self, unasked: Option<UnaskedQuestion>) -> Self {
        Self { unasked, ..self }
    }
}

impl TerminalApprover {
    /// Returns whether the call was allowed beforehand. Only tools can be, and not an agent, for
    /// example, with the name of a tool, or a call that needs its own yes.
    fn is_allowed(&self, question: ApprovalRequest<'_>) -> bool {
        question.kind == CallKind::Tool
            && question.risk.is_none()
            && self.allowed.contains(question.tool)
    }

    /// Asks a question at the terminal. A yes to leaving the sandbox in the mode `full` holds until the
    /// mode changes, and the question says so.
    async fn put_about_leaving(&self, question: ApprovalRequest<'_>) -> ApprovalDecision {
        let mode = self.mode.as_ref().filter(|_| self.replayed.is_none());
        let Some(mode) = mode.filter(|_| !question::is_at_wall(question)) else {
            return self.put(question).await;
        };
        // Another call may have asked meanwhile.
        if mode.lets_out(question) {
            return ApprovalDecision::Allow(ApprovalScope::Once);
        }
        let Some(asked) = mode.asks_to_leave(question) else { return self.put(question).await };
        let mut told = question;
        told.why = Some(LEAVES);
        let answer = self.put(told).await;
        if matches!(answer, ApprovalDecision::Allow(_)) {
            mode.let_out(asked);
        }
        answer
    }

    /// Asks a question once those before it are answered.
    async fn ask_once(&self, question: ApprovalRequest<'_>) -> ApprovalDecision {
        // Changes count from now on, also while another question is answered.
        let denial = self.mode.as_ref().map(|mode| mode.denial(question));
        let _asking = self.asking.lock().await;
        match denial {
            None => self.put(question).await,
            Some(denial) => tokio::select! {
                biased;
                why = denial => ApprovalDecision::Deny(why),
                answer = self.put_about_leaving(question) => answer,
            },
        }
    }

    /// Asks a question at the terminal. If it cannot be asked, the answer is no.
    async fn put(&self, question: ApprovalRequest<'_>) -> ApprovalDecision {
        let about = self
            .replayed
            .as_ref()
            .map(|replayed| format!("{replayed} has no recorded result of this call:"));
        match &self.desk {
            QuestionDesk::Lines(desk) => {
                if let Some(about) = about {
                    lock(desk.screen()).show_line(&about);
                }
                let text = question::question(question, (self.style)());
                answer(&desk.ask(&text).await.unwrap_or_default(), question)
            }
            QuestionDesk::Live(desk) => self.put_live(desk, question, about).await,
        }
    }
}

impl Approver for TerminalApprover {
    fn takes_items(&self) -> bool {
        true
    }

    fn ask<'a>(&'a self, question: ApprovalRequest<'a>) -> BoxFuture<'a, ApprovalDecision> {
        async move {
            if self.is_allowed(question) {
                return ApprovalDecision::Allow(ApprovalScope::Once);
            }
            let can_ask = match &self.desk {
                QuestionDesk::Lines(desk) => desk.can_ask(),
                QuestionDesk::Live(_) => true,
            };
            match self.unasked {
                Some(UnaskedQuestion::Park) => return ApprovalDecision::Park,
                None if can_ask => {}
                Some(UnaskedQuestion::Deny) | None => {
                    return ApprovalDecision::Deny(nobody(question, self.replayed.as_deref()));
                }
            }
            tokio::select! {
                biased;
                () = self.handover.ordered() => ApprovalDecision::Park,
                answer = self.ask_once(question) => answer,
            }
        }
        .boxed()
    }
}

impl fmt::Debug for TerminalApprover {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("TerminalApprover")
            .field("allowed", &self.allowed)
            .field("unasked", &self.unasked)
            .finish_non_exhaustive()
    }
}

/// Returns the reason that the model reads if nobody can be asked.
fn nobody(
    ApprovalRequest { kind, tool, risk, .. }: ApprovalRequest<'_>,
    replayed: Option<&str>,
) -> String {
    let hint = match (kind, risk) {
        (CallKind::Tool, None) => format!(" (--allow {tool} would)"),
        (_, Some(risk)) => format!(" (--allow does not cover this call: {risk})"),
        // Only tools can be allowed beforehand.
        _ => String::new(),
    };
    match replayed {
        Some(_) => format!(
            "not started: this conversation is replayed, the recorded one has no result of this \
             call that can be used again, and nobody is at a terminal to allow `{tool}`{hint}"
        ),
        None => format!(
            "`{tool}` needs a person's approval, and nobody is at a terminal to give it{hint}"
        ),
    }
}

/// The reason of a question about leaving the sandbox in the mode `full`. If a row has too little
/// room, the part after the colon stays.
const LEAVES: &str = "the mode `full` asks once about commands that leave the sandbox: a yes holds until \
                      the mode changes";

/// Returns the decision for a typed answer. Everything that is not a clear yes is a no, and the
/// model reads its words.
fn answer(typed: &str, question: ApprovalRequest<'_>) -> ApprovalDecision {
    let (words, tool) = (typed.trim(), question.tool);
    let no = |why: String| {
        ApprovalDecision::none(&question, format!("the person did not allow `{tool}`{why}"))
    };
    let wider = |index: usize| match question::has_always(question) {
        true if index < question.wider_scopes.len() => Some(ApprovalScope::Wider(index)),
        _ => None,
    };
    if !question.items.is_empty() {
        let count = question.items.len() + 1;
        if let Some(allowed) = question::picked(words, count) {
            let denied = format!("the person allowed other items, and not this call of `{tool}`");
            return ApprovalDecision::Items { allowed, denied };
        }
    }
    let allowed = match &*words.to_lowercase() {
        "y" | "yes" => return ApprovalDecision::all(&question),
        "a" | "always" => Some(ApprovalScope::Conversation),
        "a2" | "always 2" => wider(0),
        "a3" | "always 3" => wider(1),
        "" | "n" | "no" => return no(String::new()),
        _ => None,
    };
    allowed.map_or_else(|| no(format!(", and said: {words}")), ApprovalDecision::Allow)
}

#[cfg(test)]
mod tests {
    use silcrow_tool::ItemRequest;

    use super::*;

    #[test]
    fn allowed_tool_names_cover_only_tools() {
        let (desk, _questions) = tokio::sync::mpsc::channel(1);
        let person =
            TerminalApprover::new(QuestionDesk::Live(desk)).with_allowed_tools(["file_write"]);
        let mut question = ApprovalRequest::new("a", "file_write", "{}");
        assert!(person.is_allowed(question));
        for kind in CallKind::ALL.into_iter().filter(|kind| *kind != CallKind::Tool) {
            question.kind = kind;
            assert!(!person.is_allowed(question), "{kind:?}");
            assert!(!nobody(question, None).contains("--allow"), "{kind:?}");
        }
        assert!(!person.is_allowed(ApprovalRequest::new("a", "file_read", "{}")));
    }

    #[test]
    fn typed_answer_may_select_loop_items() {
        let items = [ItemRequest::new("l[1].s", "{}"), ItemRequest::new("l[2].s", "{}")];
        let mut question = ApprovalRequest::new("l[0].s", "t", "{}");
        question.items = &items;
        for (typed, expected) in [("y", &[0, 1, 2][..]), ("1,3", &[0, 2]), ("no", &[]), ("4", &[])]
        {
            let ApprovalDecision::Items { allowed, .. } = answer(typed, question) else {
                panic!("{typed}");
            };
            assert_eq!(allowed, expected, "{typed}");
        }
        let always = ApprovalDecision::Allow(ApprovalScope::Conversation);
        assert_eq!(answer("a", question), always);
    }

    #[test]
    fn only_a_clear_yes_approves() {
        let wider = ["make *".to_owned()];
        let mut question = ApprovalRequest::new("a1", "t", "{}");
        question.wider_scopes = &wider;
        for (typed, scope) in [
            ("y\n", ApprovalScope::Once),
            (" YES \n", ApprovalScope::Once),
            ("a\n", ApprovalScope::Conversation),
            ("Always", ApprovalScope::Conversation),
            ("a2\n", ApprovalScope::Wider(0)),
        ] {
            assert_eq!(answer(typed, question), ApprovalDecision::Allow(scope), "{typed}");
        }
        for typed in ["", "\n", "n\n", "No\n"] {
            let no = ApprovalDecision::Deny("the person did not allow `t`".to_owned());
            assert_eq!(answer(typed, question), no, "{typed}");
        }
        for typed in ["yes please\n", "ya\n", "use b.txt\n", "a3\n"] {
            let ApprovalDecision::Deny(why) = answer(typed, question) else { panic!("{typed}") };
            assert!(why.ends_with(&format!("and said: {}", typed.trim())), "{why}");
        }
    }
}
