//! A question as text, for clients that cannot ask one.

use silcrow_event::{FileDiff, OpenQuestion};

/// Returns a question in Markdown. Its quotations of the call are data.
///
/// ```
/// use silcrow_event::{CallKind, Grants, OpenQuestion};
/// use silcrow_front::question_text;
///
/// let question = OpenQuestion {
///     id: "a1".to_owned(),
///     item_of: None,
///     kind: CallKind::Tool,
///     tool: "shell".to_owned(),
///     args: "{\"command\":\"# Done\"}".to_owned(),
///     args_sha256: String::new(),
///     target: None,
///     effect: None,
///     diff: None,
///     scope: String::new(),
///     wider_scopes: Vec::new(),
///     grants: Grants::none(),
///     risk: Some("it is not confined".to_owned()),
///     why: None,
/// };
/// let text = question_text("1/a1", &question);
/// // What the call says is indented, so it cannot pass for a heading.
/// assert!(text.contains("\n    {\"command\":\"# Done\"}\n"), "{text}");
/// assert!(text.contains("- it is not confined\n"));
/// ```
pub fn question_text(id: &str, question: &OpenQuestion) -> String {
    let subject = subject(question, "");
    let tool = &question.tool;
    format!("May `{tool}` run with these arguments?\n\n{subject}\n{}", waits(id))
}

/// Returns the questions about the calls of one loop in Markdown, as one question. The numbers of the
/// calls are from 1.
///
/// ```
/// use silcrow_event::{CallKind, Grants, OpenQuestion};
/// use silcrow_front::loop_question_text;
///
/// let question = |at: u32| OpenQuestion {
///     id: format!("each[{at}].s"),
///     item_of: Some("each[].s".to_owned()),
///     kind: CallKind::Tool,
///     tool: "save".to_owned(),
///     args: format!("{{\"n\":{at}}}"),
///     args_sha256: String::new(),
///     target: None,
///     effect: None,
///     diff: None,
///     scope: String::new(),
///     wider_scopes: Vec::new(),
///     grants: Grants::none(),
///     risk: None,
///     why: None,
/// };
/// let (first, second) = (question(0), question(1));
/// let text = loop_question_text("1/each[].s", &[&first, &second]);
/// assert!(text.starts_with("May `save` run 2 times"));
/// assert!(text.contains("2. `each[1].s`"));
/// ```
pub fn loop_question_text(id: &str, questions: &[&OpenQuestion]) -> String {
    let tool = questions.first().map_or("", |question| &question.tool);
    let count = questions.len();
    let items = (1..).zip(questions).map(|(number, question)| {
        format!("{number}. `{}`:\n\n{}\n", question.id, subject(question, "    "))
    });
    let items: String = items.collect();
    format!("May `{tool}` run {count} times, for the items of a loop?\n\n{items}{}", waits(id))
}

/// Returns the subject of a question, behind a margin.
fn subject(question: &OpenQuestion, margin: &str) -> String {
    // An indented block of code has no mark of its end that arguments could contain.
    let args = indented(&question.args);
    let files = question.diff.iter().flat_map(|diff| &diff.files);
    let diff: String = files
        .map(|FileDiff { path, hunks }| format!("    {path}\n{}\n\n", indented(hunks)))
        .collect();
    let why = [&question.effect, &question.why, &question.risk].into_iter().flatten();
    let why: String = why.map(|why| format!("- {why}\n")).collect();
    let opens = match question.grants.is_empty() {
        true => String::new(),
        false => format!("- a yes opens: {}\n", question.grants),
    };
    let subject = format!("{args}\n\n{diff}{why}{opens}");
    if margin.is_empty() {
        return subject;
    }
    subject.lines().map(|line| format!("{margin}{line}").trim_end().to_owned() + "\n").collect()
}

fn waits(id: &str) -> String {
    format!("The run waits for an answer to question `{id}`.")
}

/// Returns a question in Markdown for a chat, in which the person answers it with words. `link` is the
/// address at which the question can be opened, too.
pub(crate) fn chat_question(id: &str, question: &OpenQuestion, link: Option<&str>) -> String {
    let text = linked_question(id, question, link);
    format!("{text} Answer `yes` or `no`, or say what to do instead.")
}

/// Returns a question in Markdown with the address at which it can be opened.
pub(crate) fn linked_question(id: &str, question: &OpenQuestion, link: Option<&str>) -> String {
    let text = question_text(id, question);
    let link = link.map_or_else(String::new, |link| format!(" [Open the question]({link})."));
    format!("{text}{link}")
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("    {line}")).collect::<Vec<_>>().join("\n")
}
