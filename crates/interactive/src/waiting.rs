//! The lines for a person about a run that waits for answers.

use silcrow_agent::{ParkedQuestion, QuestionGroup};
use silcrow_sanitize::sanitize_line;

/// Returns the line that says how to answer the questions of a run, and how it continues. It names
/// commands of `silcrow`.
///
/// ```
/// let line = silcrow_interactive::waiting_line("c1", &[]);
/// assert!(line.ends_with("continue with silcrow run --conversation c1 --resume"));
/// ```
pub fn waiting_line(conversation: &str, questions: &[ParkedQuestion]) -> String {
    let conversation = sanitize_line(conversation);
    let open = questions.iter().filter(|asked| asked.answer.is_none());
    let groups = QuestionGroup::all(open);
    let named = groups.iter().map(|group| {
        let (id, tool) = (group.id(), &group.first().question.tool);
        match group.is_loop() {
            true => format!("{id} ({tool}, {} items)", group.questions().len()),
            false => format!("{id} ({tool})"),
        }
    });
    let named = named.collect::<Vec<_>>().join(", ");
    format!(
        "the run waits for answers about {named}: see silcrow runs answer {conversation}, and \
         continue with silcrow run --conversation {conversation} --resume"
    )
}
