//! A question about a call on a live screen: its few rows, all of its rows, and the answers that
//! cover later calls.

use std::path::Path;
use std::sync::Arc;

use silcrow_policy::ProposedRule;
use silcrow_sanitize::sanitize_line;
use silcrow_tool::{ApprovalDecision, ApprovalRequest, ApprovalScope};
use tokio::sync::{mpsc, oneshot};

use super::TerminalApprover;
use crate::live::{
    AlwaysChoice, AlwaysChoices, AlwaysWidth, KeyedReply, LiveQuestion, PlanAnswer, QuestionReply,
    WantedReply,
};
use crate::question::{
    QuestionStyle, has_always, is_at_wall, is_plan, plan_text, question_text, short_question,
};

impl TerminalApprover {
    /// Asks a question on a live screen, and keeps a rule if the person wants one. If that does not
    /// work, the question is asked again without it.
    pub(super) async fn put_live(
        &self,
        desk: &mpsc::Sender<LiveQuestion>,
        question: ApprovalRequest<'_>,
        about: Option<String>,
    ) -> ApprovalDecision {
        // In a replay no rule would answer the question, and none answers one about a single door.
        let rules = self.rules.as_ref().filter(|_| self.replayed.is_none());
        let rules = rules.filter(|_| has_always(question) && !is_at_wall(question));
        let proposed = rules.and_then(|rules| Some((rules, rules.propose(question)?)));
        let rule = proposed.as_ref().map(|(rules, rule)| (rule, rules.file()));
        let style = (self.style)();
        let reply = ask(desk, question, about, rule, style).await;
        let decided = |reply| about_items(decided(reply), question);
        match (reply, proposed) {
            (QuestionReply::AcceptPlan(answer), _) => {
                if let Some(mode) = &self.mode {
                    mode.accept_plan(answer);
                }
                ApprovalDecision::Allow(ApprovalScope::Once)
            }
            (QuestionReply::AllowInFolder, Some((rules, rule))) => {
                let rules = Arc::clone(rules);
                let kept = tokio::task::spawn_blocking(move || rules.keep(&rule)).await;
                let why = match kept {
                    Ok(Ok(())) => return ApprovalDecision::Allow(ApprovalScope::Once),
                    Ok(Err(why)) => why,
                    Err(error) => format!("the rule is not kept: {error}"),
                };
                decided(ask(desk, question, Some(why), None, style).await)
            }
            (reply, _) => decided(reply),
        }
    }
}

async fn ask(
    desk: &mpsc::Sender<LiveQuestion>,
    question: ApprovalRequest<'_>,
    about: Option<String>,
    folder_rule: Option<(&ProposedRule, &Path)>,
    style: QuestionStyle,
) -> QuestionReply {
    let about = about.map(|about| format!("{}\n", sanitize_line(&about))).unwrap_or_default();
    let words = folder_rule.map(|(rule, _)| format!("{rule}, in this root"));
    let (answer, answered) = oneshot::channel();
    // A command says everything in its first rows, and each row of a difference and of a plan matters.
    let is_long = question.diff.is_some() || is_plan(question);
    let most_rows = if is_long { usize::MAX } else { MOST_ROWS };
    let shown = LiveQuestion {
        text: about + &short_question(question, style),
        whole: Some(question_text(question, words.as_deref(), style)),
        most_rows,
        tool: question.tool.to_owned(),
        always: choices(question, folder_rule),
        others: others(question),
        plan: plan_text(question),
        items: question.items.len() + 1,
        wanted: WantedReply::Decision,
        answer,
    };
    if desk.send(shown).await.is_err() {
        let why = "nobody is at a terminal to allow it".to_owned();
        return QuestionReply::Decided(ApprovalDecision::Deny(why));
    }
    answered.await.unwrap_or(QuestionReply::Stop)
}

/// Returns the answers that cover later calls, narrowest first.
fn choices(
    question: ApprovalRequest<'_>,
    folder_rule: Option<(&ProposedRule, &Path)>,
) -> AlwaysChoices {
    if !has_always(question) {
        return AlwaysChoices::default();
    }
    let choice = |width, scope, words: String| AlwaysChoice {
        width,
        words,
        reply: QuestionReply::Decided(ApprovalDecision::Allow(scope)),
    };
    let own = match question.scope == question.args {
        true => "calls with the same arguments".to_owned(),
        false => in_one_line(question.scope),
    };
    let mut choices = vec![choice(AlwaysWidth::Same, ApprovalScope::Conversation, own)];
    for (index, scope) in question.wider_scopes.iter().enumerate().take(MOST_WIDER) {
        let words = in_one_line(scope);
        choices.push(choice(AlwaysWidth::Wider, ApprovalScope::Wider(index), words));
    }
    choices.extend(folder_rule.map(|(rule, file)| AlwaysChoice {
        width: AlwaysWidth::Folder,
        words: sanitize_line(&format!("{rule}; kept in {}", file.display())).into_owned(),
        reply: QuestionReply::AllowInFolder,
    }));
    AlwaysChoices(choices)
}

/// Returns the answers that only a question about a plan has.
fn others(question: ApprovalRequest<'_>) -> Vec<KeyedReply> {
    if !is_plan(question) {
        return Vec::new();
    }
    let freely = KeyedReply {
        key: "e",
        meaning: "yes, edit freely",
        explanation: "yes, and files of this folder change without a question (the mode `workspace`)",
        reply: QuestionReply::AcceptPlan(PlanAnswer { is_free: true, ..PlanAnswer::default() }),
    };
    let afresh = KeyedReply {
        key: "c",
        meaning: "yes, with the plan only",
        explanation: "as e, and the agent reads the plan in place of the conversation before it",
        reply: QuestionReply::AcceptPlan(PlanAnswer {
            is_free: true,
            replaces_talk: true,
            saved: None,
        }),
    };
    vec![freely, afresh]
}

fn in_one_line(scope: &str) -> String {
    sanitize_line(&scope.replace('\n', ", ")).into_owned()
}

/// Returns the decision of a reply for which no rule is kept.
fn decided(reply: QuestionReply) -> ApprovalDecision {
    match reply {
        QuestionReply::Decided(decision) => decision,
        QuestionReply::AllowInFolder | QuestionReply::AcceptPlan(_) => {
            ApprovalDecision::Allow(ApprovalScope::Once)
        }
        QuestionReply::Stop | QuestionReply::Words(_) => {
            ApprovalDecision::Deny("the person stopped the run".to_owned())
        }
    }
}

/// Returns a no to a question about several items as one to all of them.
fn about_items(decision: ApprovalDecision, question: ApprovalRequest<'_>) -> ApprovalDecision {
    match decision {
        ApprovalDecision::Deny(why) => ApprovalDecision::none(&question, why),
        decision => decision,
    }
}

/// The most rows of a question that are shown at first, unless they show a difference.
const MOST_ROWS: usize = 12;

/// The number of wider scopes that are offered.
const MOST_WIDER: usize = 2;
