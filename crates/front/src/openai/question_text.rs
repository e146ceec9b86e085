//! A question as text, for clients that cannot ask one.

use silcrow_event::OpenQuestion;

/// Returns a question in Markdown.
pub(crate) fn question_text(id: &str, question: &OpenQuestion) -> String {
    // An indented block of code has no mark of its end that arguments could contain.
    let args: Vec<_> = question.args.lines().map(|line| format!("    {line}")).collect();
    let why = [&question.effect, &question.why, &question.risk].into_iter().flatten();
    let why: String = why.map(|why| format!("- {why}\n")).collect();
    format!(
        "May `{}` run with these arguments?\n\n{}\n\n{why}\nThe run waits for an answer to question `{id}`.",
        question.tool,
        args.join("\n"),
    )
}
