//! The content of a message: a text, or a list of parts.

use serde::Deserialize;

use crate::answer::{AnswerBuilder, DeltaQueue};
use crate::lenient::{LenientField, LenientObject};

/// Adds a text, or the parts of a list, to an answer: texts, thoughts and refusals. Other shapes are left out.
pub(crate) fn add_to(content: LenientField<'_>, answer: &mut AnswerBuilder, out: &mut DeltaQueue) {
    if let Some(piece) = content.text() {
        answer.text(&piece, out);
        return;
    }
    for item in content.items() {
        match item.read().and_then(|LenientObject(part)| part) {
            Some(part) => ChatContentPart::add_to(&part, answer, out),
            None => item.text().iter().for_each(|piece| answer.text(piece, out)),
        }
    }
}

#[derive(Deserialize)]
struct ChatContentPart<'a> {
    #[serde(borrow)]
    text: LenientField<'a>,
    #[serde(borrow)]
    thinking: LenientField<'a>,
    #[serde(borrow)]
    refusal: LenientField<'a>,
}

impl ChatContentPart<'_> {
    fn add_to(&self, answer: &mut AnswerBuilder, out: &mut DeltaQueue) {
        for thought in self.thinking.items() {
            let inner = thought.read().and_then(|LenientObject(inner)| inner);
            let text = inner.map_or(thought, |ChatThought { text }| text);
            text.text().iter().for_each(|piece| answer.reason(piece, out));
        }
        self.text.text().iter().for_each(|piece| answer.text(piece, out));
        self.refusal.text().iter().for_each(|piece| answer.refuse(piece, out));
    }
}

/// A part of a thought.
#[derive(Deserialize)]
struct ChatThought<'a> {
    #[serde(borrow)]
    text: LenientField<'a>,
}
