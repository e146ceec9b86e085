//! The answer as it is kept until it is certain.
//!
//! Standard output that is not a terminal gets the model's text byte for byte. A terminal gets
//! sanitized text, and so does standard error in any case.

use silcrow_event::Respond;
use silcrow_sanitize::Sanitizer;

use super::Screen;

impl Screen {
    /// Keeps a part of the answer, and shows the text of earlier turns beside it.
    pub(super) fn collect(&mut self, turn: Option<u32>, respond: &Respond) {
        if !respond.last {
            return self.aside(&format!("{}\n", shown_answer(&respond.content)));
        }
        let text = match self.is_exact {
            true => respond.content.clone(),
            false => shown_answer(&respond.content),
        };
        for earlier in self.answer.collect(turn, text) {
            // Text that is sanitized already stays the same.
            self.aside(&format!("{}\n", shown_answer(&earlier)));
        }
    }
}

/// Returns a sanitizer of the model's text, which keeps its line breaks as they are.
pub(super) fn answer_sanitizer() -> Sanitizer {
    Sanitizer::of_prose().with_crlf()
}

/// Returns text of an answer as a terminal may show it.
fn shown_answer(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut sanitizer = answer_sanitizer();
    sanitizer.push(text, &mut shown);
    sanitizer.finish(&mut shown);
    shown
}
