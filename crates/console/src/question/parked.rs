//! A question that waits for its answer in a store.

use silcrow_agent::QuestionGroup;
use silcrow_event::{ApprovalState, OpenQuestion};
use silcrow_tool::{ApprovalRequest, ItemRequest};

use super::{QuestionStyle, QuestionTerms, QuestionWriter, count};

/// Returns a question that waits for its answer as a person reads it, or those about the items of a loop as
/// one.
pub fn parked_question(group: &QuestionGroup<'_>, style: QuestionStyle) -> String {
    let mut out = QuestionWriter { out: String::new(), style };
    let asked = group.first();
    let OpenQuestion { kind, tool, args, target, effect, diff, risk, why, .. } = &asked.question;
    let OpenQuestion { scope, wider_scopes, grants, .. } = &asked.question;
    let others: Vec<_> = group.questions()[1..].iter().map(|asked| item(&asked.question)).collect();
    let mut request = ApprovalRequest::new(&asked.question.id, tool, args);
    (request.target, request.effect) = (target.as_deref(), effect.as_deref());
    (request.risk, request.grants, request.items) = (risk.as_deref(), grants, &others);
    out.theirs("question", &group.id());
    out.whole_items(request);
    let bytes = count(args.len(), "byte");
    match others.len() {
        0 => out.ours("", &format!("The arguments of the call ({bytes}):")),
        others => out.ours("", &format!("Item 1 of {} ({bytes}):", others + 1)),
    }
    let facts = [("target", target), ("effect", effect), ("risk", risk), ("why", why)];
    let terms = QuestionTerms::new(scope, wider_scopes, grants);
    out.subject(args, diff.as_ref(), terms, facts.map(|(label, text)| (label, text.as_deref())));
    out.short_items(request);
    out.theirs(kind.as_str(), tool);
    let state = match asked.answer {
        Some(ApprovalState::Allowed) => "yes; the run has not continued yet",
        Some(_) => "no; the run has not continued yet",
        None => "none yet",
    };
    out.ours("answer", state);
    out.out
}

/// Returns a question as one about another item of a loop.
fn item(asked: &OpenQuestion) -> ItemRequest<'_> {
    let mut item = ItemRequest::new(&asked.id, &asked.args);
    (item.target, item.effect) = (asked.target.as_deref(), asked.effect.as_deref());
    (item.diff, item.risk) = (asked.diff.as_ref(), asked.risk.as_deref());
    item.grants = &asked.grants;
    item
}
