//! The content of a message: a text, or a list of parts.

use serde::Deserialize;

use crate::answer::{Answer, Out};
use crate::lenient::{Field, Object};

/// Emits a text, or the parts of a list: texts, thoughts and refusals. What has another shape is
/// left out.
pub(crate) fn say(content: Field<'_>, answer: &mut Answer, out: &mut Out) {
    if let Some(piece) = content.text() {
        answer.text(&piece, out);
        return;
    }
    for item in content.items() {
        match item.read().and_then(|Object(part)| part) {
            Some(part) => Part::say(&part, answer, out),
            None => item.text().iter().for_each(|piece| answer.text(piece, out)),
        }
    }
}

#[derive(Deserialize)]
struct Part<'a> {
    #[serde(borrow)]
    text: Field<'a>,
    #[serde(borrow)]
    thinking: Field<'a>,
    #[serde(borrow)]
    refusal: Field<'a>,
}

impl Part<'_> {
    fn say(&self, answer: &mut Answer, out: &mut Out) {
        for thought in self.thinking.items() {
            let inner = thought.read().and_then(|Object(inner)| inner);
            let text = inner.map_or(thought, |Inner { text }| text);
            text.text().iter().for_each(|piece| answer.reason(piece, out));
        }
        self.text.text().iter().for_each(|piece| answer.text(piece, out));
        self.refusal.text().iter().for_each(|piece| answer.refuse(piece, out));
    }
}

/// A part of a thought.
#[derive(Deserialize)]
struct Inner<'a> {
    #[serde(borrow)]
    text: Field<'a>,
}
