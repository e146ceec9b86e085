//! The calls in messages of Chat Completions.
//!
//! A call is known by its index. Some servers send the index 0 for all, or none, so an id or a name that
//! differs begins a call, too; others repeat both with each piece.

use serde::Deserialize;

use crate::answer::{AnswerBuilder, DeltaQueue, EventError};
use crate::calls::AnswerCalls;
use crate::lenient::{LenientField, LenientObject};

/// Takes the calls of a message, or pieces of them.
pub(crate) fn add_to(
    pieces: LenientField<'_>,
    calls: &mut AnswerCalls,
    answer: &AnswerBuilder,
    out: &mut DeltaQueue,
) -> Result<(), EventError> {
    for (place, piece) in pieces.items().into_iter().enumerate() {
        let piece: Option<LenientObject<ChatCall<'_>>> = piece.read();
        let Some(piece) = piece.and_then(|piece| piece.0) else { continue };
        let function = piece.function.unwrap_or_default();
        let (id, name) = (piece.id.word(), function.name.word());
        let index = piece.index.count();
        let is_other = match (&id, calls.open_id()) {
            (Some(id), Some(open)) => id != open && name.is_some(),
            _ => false,
        };
        // Whole messages have no index.
        let key = match (index, &id) {
            (Some(index), Some(id)) if is_other => format!("{index} {id}"),
            (Some(index), _) => index.to_string(),
            (None, Some(id)) => id.to_string(),
            (None, None) => format!("-{place}"),
        };
        let continues = calls.is_open(&key) || !is_other && calls.continues(index);
        if !continues && calls.open(&key, index, out).is_err() {
            return answer.late();
        }
        if let Some(id) = &id {
            calls.id(id);
        }
        if let Some(name) = &name {
            calls.name(name, out);
        }
        if let Some(args) = function.arguments.text() {
            calls.args(&args, out);
        } else if function.arguments.json().starts_with('{') {
            // Some servers send an object in place of its text.
            calls.args(&function.arguments.json().into(), out);
        }
    }
    Ok(())
}

#[derive(Default, Deserialize)]
struct ChatCall<'a> {
    #[serde(borrow)]
    index: LenientField<'a>,
    #[serde(borrow)]
    id: LenientField<'a>,
    #[serde(borrow)]
    function: LenientObject<ChatFunction<'a>>,
}

#[derive(Default, Deserialize)]
struct ChatFunction<'a> {
    #[serde(borrow)]
    name: LenientField<'a>,
    #[serde(borrow)]
    arguments: LenientField<'a>,
}
