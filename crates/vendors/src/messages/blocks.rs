//! The blocks of an answer of Messages: texts, thoughts and calls, one after the other.
//!
//! A thought goes back with its signature, and a call has an id and arguments in pieces. This
//! module tracks the open block.

use serde::{Deserialize, Serialize};
use silcrow_provider::Delta;

use crate::answer::{AnswerBuilder, DeltaQueue, EventError};
use crate::calls::AnswerCalls;
use crate::lenient::LenientField;

/// The open block, and the data for its end.
#[derive(Default)]
pub(super) struct OpenBlock {
    at: AnswerBlock,
    /// Whether a block of another kind came after the last text.
    has_other: bool,
    /// The number of blocks so far, because not every server gives them one.
    count: u64,
}

#[derive(Default)]
enum AnswerBlock {
    #[default]
    None,
    Text,
    /// A thought, as it goes back.
    Thinking {
        text: String,
        signature: String,
    },
    /// A thought that is not shown.
    Redacted(String),
    Call,
    /// A block of another kind, such as a tool that the server ran.
    Other,
}

/// A thought as it goes back.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum KeptThought {
    Thinking { thinking: String, signature: String },
    RedactedThinking { data: String },
}

impl OpenBlock {
    /// Takes the start of a block.
    pub(super) fn start(
        &mut self,
        block: &MessagesBlock<'_>,
        calls: &mut AnswerCalls,
        answer: &mut AnswerBuilder,
        out: &mut DeltaQueue,
    ) -> Result<(), EventError> {
        self.stop(calls, out);
        self.count += 1;
        let kind = block.r#type.word();
        self.at = match kind.as_deref() {
            // Two texts with something between them are two lines; otherwise one text continues.
            Some("text") | None => {
                if std::mem::take(&mut self.has_other) {
                    answer.begin_line(out);
                }
                AnswerBlock::Text
            }
            Some("thinking") => {
                AnswerBlock::Thinking { text: String::new(), signature: String::new() }
            }
            Some("redacted_thinking") => {
                AnswerBlock::Redacted(block.data.word().unwrap_or_default().into_owned())
            }
            Some("tool_use") if calls.are_declared() => {
                if calls.open(&self.count.to_string(), None, out).is_err() {
                    return answer.late();
                }
                calls.id(&block.id.word().unwrap_or_default());
                calls.name(&block.name.word().unwrap_or_default(), out);
                // A whole message has its arguments here, and a stream an empty object.
                if block.input.is_set() {
                    calls.args(&block.input.json().into(), out);
                }
                AnswerBlock::Call
            }
            Some(_) => AnswerBlock::Other,
        };
        self.has_other |= !matches!(self.at, AnswerBlock::Text);
        self.delta(block, calls, answer, out);
        Ok(())
    }

    /// Takes a piece of a block.
    pub(super) fn delta(
        &mut self,
        block: &MessagesBlock<'_>,
        calls: &mut AnswerCalls,
        answer: &mut AnswerBuilder,
        out: &mut DeltaQueue,
    ) {
        if let AnswerBlock::Thinking { text, signature } = &mut self.at
            && calls.are_declared()
        {
            text.push_str(&block.thinking.word().unwrap_or_default());
            signature.push_str(&block.signature.word().unwrap_or_default());
        }
        if let (AnswerBlock::Call, Some(piece)) = (&self.at, block.partial_json.text()) {
            calls.args(&piece, out);
        }
        block.add_to(answer, out);
    }

    /// Takes the end of the open block.
    pub(super) fn stop(&mut self, calls: &mut AnswerCalls, out: &mut DeltaQueue) {
        let opaque = match std::mem::take(&mut self.at) {
            // A signature that is empty belongs to a thought that was cut off.
            AnswerBlock::Thinking { text, signature } if !signature.is_empty() => {
                KeptThought::Thinking { thinking: text, signature }
            }
            AnswerBlock::Redacted(data) if !data.is_empty() => {
                KeptThought::RedactedThinking { data }
            }
            AnswerBlock::Call => return calls.end(None, out),
            _ => return,
        };
        if calls.are_declared() {
            let opaque = serde_json::to_string(&opaque).expect("strings are JSON");
            out.push_back(Ok(Delta::Opaque(opaque)));
        }
    }
}

/// A block of content, its start, or its delta; or the delta of a message, which has the stop
/// reason. Blocks of other kinds have neither text nor thinking.
#[derive(Default, Deserialize)]
pub(super) struct MessagesBlock<'a> {
    #[serde(borrow)]
    pub(super) r#type: LenientField<'a>,
    #[serde(borrow)]
    pub(super) text: LenientField<'a>,
    #[serde(borrow)]
    pub(super) thinking: LenientField<'a>,
    #[serde(borrow)]
    pub(super) signature: LenientField<'a>,
    #[serde(borrow)]
    pub(super) data: LenientField<'a>,
    #[serde(borrow)]
    pub(super) id: LenientField<'a>,
    #[serde(borrow)]
    pub(super) name: LenientField<'a>,
    #[serde(borrow)]
    pub(super) input: LenientField<'a>,
    #[serde(borrow)]
    pub(super) partial_json: LenientField<'a>,
    #[serde(borrow)]
    pub(super) stop_reason: LenientField<'a>,
}

impl MessagesBlock<'_> {
    pub(super) fn add_to(&self, answer: &mut AnswerBuilder, out: &mut DeltaQueue) {
        self.thinking.text().iter().for_each(|piece| answer.reason(piece, out));
        self.text.text().iter().for_each(|piece| answer.text(piece, out));
    }
}
