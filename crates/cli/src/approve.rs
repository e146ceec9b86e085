//! The approver that asks a person at the terminal.
//!
//! This module knows which tools are allowed beforehand and what typed words mean. `question` knows
//! how a question looks.

use std::collections::BTreeSet;
use std::io::{self, IsTerminal as _, PipeWriter};
use std::path::Path;
use std::sync::{Arc, Mutex};

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use silcrow_event::CallKind;
use silcrow_exec::{ApprovalDecision, ApprovalRequest, ApprovalScope, Approver};
use silcrow_policy::ProposedRule;
use silcrow_sanitize::sanitize_line;
use tokio::sync::{mpsc, oneshot};

use crate::args::OnQuestion;
use crate::columns::columns;
use crate::kept_rules::KeptRules;
use crate::live::{LiveQuestion, QuestionReply, WantedReply};
use crate::question::{self, QuestionStyle, question_text};
use crate::screen::{Screen, lock};
use crate::styles;
use crate::typed;

/// Allows the tools that were allowed beforehand, and asks the person about all other calls.
pub(crate) struct Person {
    allowed: BTreeSet<String>,
    /// What happens to a question instead of asking it.
    on_question: Option<OnQuestion>,
    /// What keeps rules for the folder.
    rules: Option<KeptRules>,
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
        Self { allowed, on_question: None, rules: None, desk, replayed: None, asking }
    }

    /// Says which conversation is replayed.
    pub(crate) fn replaying(self, replayed: Option<String>) -> Self {
        Self { replayed, ..self }
    }

    /// Sets what keeps the rules of answers.
    pub(crate) fn keeping(self, rules: Option<KeptRules>) -> Self {
        Self { rules, ..self }
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
                answer(&typed, question.tool)
            }
            QuestionDesk::Live(desk) => self.put_live(desk, question, about).await,
        }
    }
}

impl Person {
    /// Asks a question on a live screen, and keeps a rule if the person wants one. If that does not
    /// work, the question is asked again without it.
    async fn put_live(
        &self,
        desk: &mpsc::Sender<LiveQuestion>,
        question: ApprovalRequest<'_>,
        about: Option<String>,
    ) -> ApprovalDecision {
        // In a replay no rule would answer the question.
        let rules = self.rules.as_ref().filter(|_| self.replayed.is_none());
        let proposed = rules.and_then(|rules| Some((rules, rules.propose(question)?)));
        let rule = proposed.as_ref().map(|(rules, rule)| (rule, rules.file()));
        match (ask_live(desk, question, about, rule).await, proposed) {
            (QuestionReply::AllowInFolder, Some((rules, rule))) => {
                let rules = rules.clone();
                let kept = tokio::task::spawn_blocking(move || rules.keep(&rule)).await;
                let why = match kept {
                    Ok(Ok(())) => return ApprovalDecision::Allow(ApprovalScope::Once),
                    Ok(Err(failure)) => failure.message().to_owned(),
                    Err(error) => format!("the rule is not kept: {error}"),
                };
                decided(ask_live(desk, question, Some(why), None).await)
            }
            (reply, _) => decided(reply),
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

/// Asks a question on a live screen.
async fn ask_live(
    desk: &mpsc::Sender<LiveQuestion>,
    question: ApprovalRequest<'_>,
    about: Option<String>,
    folder_rule: Option<(&ProposedRule, &Path)>,
) -> QuestionReply {
    let style = QuestionStyle { columns: columns(), color: styles::is_colored() };
    let about = about.map(|about| format!("{}\n", sanitize_line(&about))).unwrap_or_default();
    let words = folder_rule.map(|(rule, _)| format!("{rule}, in this root"));
    let kept = words.as_deref().zip(folder_rule).map(|(words, (_, file))| {
        sanitize_line(&format!("{words}; kept in {}", file.display())).into_owned()
    });
    let (answer, answered) = oneshot::channel();
    let shown = LiveQuestion {
        text: about + &question_text(question, words.as_deref(), style),
        tool: question.tool.to_owned(),
        is_risky: question.risk.is_some(),
        folder_rule: kept,
        wanted: WantedReply::Decision,
        answer,
    };
    if desk.send(shown).await.is_err() {
        let why = "nobody is at a terminal to allow it".to_owned();
        return QuestionReply::Decided(ApprovalDecision::Deny(why));
    }
    answered.await.unwrap_or(QuestionReply::Stop)
}

/// Returns the decision of a reply for which no rule is kept.
fn decided(reply: QuestionReply) -> ApprovalDecision {
    match reply {
        QuestionReply::Decided(decision) => decision,
        QuestionReply::AllowInFolder => ApprovalDecision::Allow(ApprovalScope::Once),
        QuestionReply::Stop | QuestionReply::Words(_) => {
            ApprovalDecision::Deny("the person stopped the run".to_owned())
        }
    }
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
            let _asking = self.asking.lock().await;
            self.put(question).await
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

/// Returns the decision for what was typed. Everything that is not a clear yes is a no, and the
/// model reads its words.
fn answer(typed: &str, tool: &str) -> ApprovalDecision {
    let words = typed.trim();
    match &*words.to_lowercase() {
        "y" | "yes" => ApprovalDecision::Allow(ApprovalScope::Once),
        "a" | "always" => ApprovalDecision::Allow(ApprovalScope::Conversation),
        "" | "n" | "no" => ApprovalDecision::Deny(format!("the person did not allow `{tool}`")),
        _ => {
            ApprovalDecision::Deny(format!("the person did not allow `{tool}`, and said: {words}"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_the_name_of_an_allowed_tool_is_none() {
        let screen = Arc::new(Mutex::new(Screen::new(Vec::new(), false, false)));
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
        for typed in ["y\n", " YES \n"] {
            assert_eq!(answer(typed, "t"), ApprovalDecision::Allow(ApprovalScope::Once), "{typed}");
        }
        for typed in ["a\n", "Always"] {
            assert_eq!(
                answer(typed, "t"),
                ApprovalDecision::Allow(ApprovalScope::Conversation),
                "{typed}"
            );
        }
        for typed in ["", "\n", "n\n", "No\n"] {
            let no = ApprovalDecision::Deny("the person did not allow `t`".to_owned());
            assert_eq!(answer(typed, "t"), no, "{typed}");
        }
        for typed in ["yes please\n", "ya\n", "use b.txt\n"] {
            let ApprovalDecision::Deny(why) = answer(typed, "t") else { panic!("{typed}") };
            assert!(why.ends_with(&format!("and said: {}", typed.trim())), "{why}");
        }
    }
}
