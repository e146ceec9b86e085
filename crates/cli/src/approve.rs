//! The approver that asks a person at the terminal.
//!
//! This module knows which tools are allowed beforehand and what typed words mean. `question` knows
//! how a question looks.

mod live_desk;

use std::collections::BTreeSet;
use std::io::{self, IsTerminal as _, PipeWriter};
use std::sync::{Arc, Mutex};

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use silcrow_event::CallKind;
use silcrow_exec::{ApprovalDecision, ApprovalRequest, ApprovalScope, Approver};
use tokio::sync::mpsc;

use crate::args::OnQuestion;
use crate::columns::columns;
use crate::kept_rules::KeptRules;
use crate::live::LiveQuestion;
use crate::question::{self, QuestionStyle};
use crate::screen::{Screen, lock};
use crate::session_mode::SessionMode;
use crate::styles;
use crate::typed;

/// Allows the tools that were allowed beforehand, and asks the person about all other calls.
pub(crate) struct Person {
    allowed: BTreeSet<String>,
    /// What happens to a question instead of asking it.
    on_question: Option<OnQuestion>,
    /// What keeps rules for the folder.
    rules: Option<KeptRules>,
    /// The mode, which the person may change instead of an answer.
    mode: Option<SessionMode>,
    desk: QuestionDesk,
    /// The conversation that is replayed. In a replay every call without a recorded result is asked
    /// about.
    replayed: Option<String>,
    /// The lock of a question, because several agents may ask at the same time.
    asking: tokio::sync::Mutex<()>,
}

/// Where questions are shown and answered.
pub(crate) enum QuestionDesk {
    /// As lines, answered by a line.
    Lines(Arc<Mutex<Screen>>),
    /// On a live screen, answered by a key.
    Live(mpsc::Sender<LiveQuestion>),
}

impl Person {
    pub(crate) fn new(allowed: BTreeSet<String>, desk: QuestionDesk) -> Self {
        let asking = tokio::sync::Mutex::new(());
        let (on_question, rules, mode) = (None, None, None);
        Self { allowed, on_question, rules, mode, desk, replayed: None, asking }
    }

    /// Says which conversation is replayed.
    pub(crate) fn replaying(self, replayed: Option<String>) -> Self {
        Self { replayed, ..self }
    }

    /// Sets what keeps the rules of answers.
    pub(crate) fn keeping(self, rules: Option<KeptRules>) -> Self {
        Self { rules, ..self }
    }

    /// Sets the mode that the person may change while a question waits.
    pub(crate) fn in_mode(self, mode: &SessionMode) -> Self {
        Self { mode: Some(mode.clone()), ..self }
    }

    /// Sets what happens to a question instead of asking it.
    pub(crate) fn with_on_question(self, on_question: Option<OnQuestion>) -> Self {
        Self { on_question, ..self }
    }
}

impl Person {
    /// Returns whether the call was allowed beforehand. Only tools can be, and not an agent, for
    /// example, with the name of a tool, or a call that needs a yes of its own.
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

    /// Asks a question at the terminal. If it cannot be asked, the answer is no.
    async fn put(&self, question: ApprovalRequest<'_>) -> ApprovalDecision {
        let about = self
            .replayed
            .as_ref()
            .map(|replayed| format!("{replayed} has no recorded result of this call:"));
        match &self.desk {
            QuestionDesk::Lines(screen) => {
                if let Some(about) = about {
                    lock(screen).show_line(&about);
                }
                let typed = ask_in_lines(screen, question).await.unwrap_or_default();
                answer(&typed, question)
            }
            QuestionDesk::Live(desk) => self.put_live(desk, question, about).await,
        }
    }
}

/// Asks a question and returns what the person types.
async fn ask_in_lines(screen: &Mutex<Screen>, question: ApprovalRequest<'_>) -> io::Result<String> {
    let style = QuestionStyle { columns: columns(), color: styles::is_colored() };
    ask_words_in_lines(screen, &question::question(question, style)).await
}

/// Shows the text of a question and returns what the person types.
pub(crate) async fn ask_words_in_lines(screen: &Mutex<Screen>, text: &str) -> io::Result<String> {
    let (waited_for, waits) = io::pipe()?;
    // Input that was typed before the question does not answer it.
    typed::forget()?;
    let asked = ShownPrompt::new(screen, text, waits);
    // Reading blocks until the person answers, so it must not block the run's thread.
    let typed = tokio::task::spawn_blocking(move || typed::line(&waited_for)).await;
    let typed = typed.ok().and_then(Result::ok).flatten().unwrap_or_default();
    asked.answered(&typed);
    Ok(typed)
}

impl Approver for Person {
    fn ask<'a>(&'a self, question: ApprovalRequest<'a>) -> BoxFuture<'a, ApprovalDecision> {
        async move {
            if self.is_allowed(question) {
                return ApprovalDecision::Allow(ApprovalScope::Once);
            }
            let is_terminal = match &self.desk {
                QuestionDesk::Lines(_) => io::stdin().is_terminal() && io::stderr().is_terminal(),
                QuestionDesk::Live(_) => true,
            };
            match self.on_question {
                Some(OnQuestion::Park) => return ApprovalDecision::Park,
                None if is_terminal => {}
                Some(OnQuestion::Deny) | None => {
                    return ApprovalDecision::Deny(nobody(question, self.replayed.as_deref()));
                }
            }
            let changes = self.mode.as_ref().map(SessionMode::changes);
            let _asking = self.asking.lock().await;
            match changes {
                None => self.put(question).await,
                Some(changes) => tokio::select! {
                    biased;
                    why = changes.denial(question) => ApprovalDecision::Deny(why),
                    answer = self.put_about_leaving(question) => answer,
                },
            }
        }
        .boxed()
    }
}

/// A question on the screen, which is taken back if it is dropped before it is answered.
struct ShownPrompt<'a> {
    screen: &'a Mutex<Screen>,
    /// A pipe that is open while the call waits for the answer.
    _waits: PipeWriter,
}

impl<'a> ShownPrompt<'a> {
    fn new(screen: &'a Mutex<Screen>, text: &str, waits: PipeWriter) -> Self {
        lock(screen).ask(text);
        Self { screen, _waits: waits }
    }

    fn answered(self, typed: &str) {
        lock(self.screen).go_on(typed.ends_with('\n'));
    }
}

impl Drop for ShownPrompt<'_> {
    fn drop(&mut self) {
        lock(self.screen).take_question_back();
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

/// The reason of a question about leaving the sandbox in the mode `full`. Where a row has no room for all
/// of it, the part after the colon stays.
const LEAVES: &str = "the mode `full` asks once about commands that leave the sandbox: a yes holds until \
                      the mode changes";

/// Returns the decision for what was typed. Everything that is not a clear yes is a no, and the
/// model reads its words.
fn answer(typed: &str, question: ApprovalRequest<'_>) -> ApprovalDecision {
    let (words, tool) = (typed.trim(), question.tool);
    let no =
        |why: String| ApprovalDecision::Deny(format!("the person did not allow `{tool}`{why}"));
    let wider = |index: usize| match question::has_always(question) {
        true if index < question.wider_scopes.len() => Some(ApprovalScope::Wider(index)),
        _ => None,
    };
    let allowed = match &*words.to_lowercase() {
        "y" | "yes" => Some(ApprovalScope::Once),
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
    use silcrow_console::ConsoleOutput;
    use silcrow_console::options::ConsoleOptions;

    use super::*;

    #[test]
    fn what_has_the_name_of_an_allowed_tool_is_none() {
        let screen = Arc::new(Mutex::new(Screen::new(
            Vec::new(),
            ConsoleOutput::new(Vec::new(), Vec::new()),
            &ConsoleOptions::new(),
        )));
        let desk = QuestionDesk::Lines(screen);
        let person = Person::new(BTreeSet::from(["file_write".to_owned()]), desk);
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
    fn only_a_clear_yes_is_one() {
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
