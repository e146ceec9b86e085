//! The steps of an answer of Interactions: texts, thoughts and calls, one after the other.
//!
//! A thought goes back as a step with its signature. The arguments of a call come with its
//! beginning, or in pieces after it. This module tracks the open step.

use serde::{Deserialize, Serialize};
use silcrow_provider::Delta;

use crate::answer::{AnswerBuilder, DeltaQueue, EventError};
use crate::calls::AnswerCalls;
use crate::lenient::{LenientField, LenientObject};
use crate::text::{JsonText, SurrogateJoiner};

/// The open step, and the data for its end.
#[derive(Default)]
pub(super) struct OpenStep {
    at: AnswerStep,
    /// Whether a step of another kind came after the last text.
    has_other: bool,
    /// The number of steps so far.
    count: u64,
}

#[derive(Default)]
enum AnswerStep {
    #[default]
    None,
    Thought {
        summary: String,
        joiner: SurrogateJoiner,
        signature: String,
    },
    Call {
        /// The arguments that came with the beginning.
        whole: Option<String>,
        signature: String,
    },
}

/// A thought as it goes back.
#[derive(Serialize)]
#[serde(tag = "type", rename = "thought")]
struct KeptThoughtStep<'a> {
    signature: &'a str,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    summary: &'a [SummaryText<'a>],
}

#[derive(Serialize)]
#[serde(tag = "type", rename = "text")]
struct SummaryText<'a> {
    text: &'a str,
}

impl OpenStep {
    /// Takes the start of a step, or a whole step.
    pub(super) fn start(
        &mut self,
        step: &InteractionStep<'_>,
        calls: &mut AnswerCalls,
        answer: &mut AnswerBuilder,
        out: &mut DeltaQueue,
    ) -> Result<(), EventError> {
        if step.error.is_set() {
            return answer.failed(step.error.json());
        }
        self.stop(calls, out);
        self.count += 1;
        let signature = step.signature.word().unwrap_or_default().into_owned();
        let kind = step.r#type.word();
        if kind.as_deref() == Some("model_output") {
            // Two texts with something between them are two lines.
            if std::mem::take(&mut self.has_other) {
                answer.begin_line(out);
            }
            texts(step.content).for_each(|piece| answer.text(&piece, out));
            return Ok(());
        }
        self.has_other = true;
        match kind.as_deref() {
            Some("thought") => {
                let (summary, joiner) = (String::new(), SurrogateJoiner::default());
                self.at = AnswerStep::Thought { summary, joiner, signature };
                texts(step.summary).for_each(|piece| self.reason(&piece, answer, out));
            }
            Some("function_call") if calls.are_declared() => {
                if calls.open(&self.count.to_string(), None, out).is_err() {
                    return answer.late();
                }
                calls.id(&step.id.word().unwrap_or_default());
                calls.name(&step.name.word().unwrap_or_default(), out);
                let whole = step.arguments.json();
                // An empty object is all that a stream has at the beginning.
                let whole = (whole.starts_with('{') && whole != "{}").then(|| whole.to_owned());
                self.at = AnswerStep::Call { whole, signature };
            }
            _ => {}
        }
        Ok(())
    }

    /// Takes a piece of a step.
    pub(super) fn delta(
        &mut self,
        delta: &StepDelta<'_>,
        calls: &mut AnswerCalls,
        answer: &mut AnswerBuilder,
        out: &mut DeltaQueue,
    ) {
        match delta.r#type.word().as_deref() {
            Some("text") => delta.text.text().iter().for_each(|piece| answer.text(piece, out)),
            Some("thought_summary") => {
                text(delta.content).iter().for_each(|piece| self.reason(piece, answer, out));
            }
            Some("thought_signature" | "signature") => {
                if let AnswerStep::Thought { signature, .. } | AnswerStep::Call { signature, .. } =
                    &mut self.at
                {
                    signature.push_str(&delta.signature.word().unwrap_or_default());
                }
            }
            Some("arguments_delta" | "arguments") => {
                if let AnswerStep::Call { whole, .. } = &mut self.at
                    && let Some(piece) =
                        delta.arguments.text().or_else(|| delta.partial_arguments.text())
                {
                    *whole = None;
                    calls.args(&piece, out);
                }
            }
            _ => {}
        }
    }

    /// Takes the end of the open step.
    pub(super) fn stop(&mut self, calls: &mut AnswerCalls, out: &mut DeltaQueue) {
        match std::mem::take(&mut self.at) {
            AnswerStep::Thought { summary, mut joiner, signature }
                if calls.are_declared() && !signature.is_empty() =>
            {
                let text = summary + joiner.finish();
                let summary = [SummaryText { text: &text }];
                let kept = KeptThoughtStep {
                    signature: &signature,
                    summary: if text.is_empty() { &[] } else { &summary },
                };
                let kept = serde_json::to_string(&kept).expect("strings are JSON");
                out.push_back(Ok(Delta::Opaque(kept)));
            }
            AnswerStep::Call { whole, signature } => {
                if let Some(whole) = whole {
                    calls.args(&(&*whole).into(), out);
                }
                calls.end((!signature.is_empty()).then_some(signature), out);
            }
            _ => {}
        }
    }

    fn reason(&mut self, piece: &JsonText, answer: &mut AnswerBuilder, out: &mut DeltaQueue) {
        answer.reason(piece, out);
        if let AnswerStep::Thought { summary, joiner, .. } = &mut self.at {
            summary.push_str(&joiner.push(piece));
        }
    }
}

/// A step of the model. Steps of the server's own tools have other fields.
#[derive(Default, Deserialize)]
pub(super) struct InteractionStep<'a> {
    #[serde(borrow)]
    pub(super) r#type: LenientField<'a>,
    #[serde(borrow)]
    content: LenientField<'a>,
    #[serde(borrow)]
    summary: LenientField<'a>,
    #[serde(borrow)]
    signature: LenientField<'a>,
    #[serde(borrow)]
    id: LenientField<'a>,
    #[serde(borrow)]
    name: LenientField<'a>,
    #[serde(borrow)]
    arguments: LenientField<'a>,
    #[serde(borrow)]
    error: LenientField<'a>,
}

/// A delta of a step.
#[derive(Default, Deserialize)]
pub(super) struct StepDelta<'a> {
    #[serde(borrow)]
    r#type: LenientField<'a>,
    #[serde(borrow)]
    text: LenientField<'a>,
    /// The text of a thought summary; other deltas have other contents.
    #[serde(borrow)]
    content: LenientField<'a>,
    #[serde(borrow)]
    signature: LenientField<'a>,
    #[serde(borrow)]
    arguments: LenientField<'a>,
    /// The name in the vendor's guide of the field that its server calls `arguments`.
    #[serde(borrow)]
    partial_arguments: LenientField<'a>,
}

fn texts(list: LenientField<'_>) -> impl Iterator<Item = JsonText> {
    list.items().into_iter().filter_map(text)
}

/// Returns the text of a content.
fn text(content: LenientField<'_>) -> Option<JsonText> {
    let LenientObject(content) = content.read()?;
    content.and_then(|StepContent { text }| text.text())
}

#[derive(Deserialize)]
struct StepContent<'a> {
    #[serde(borrow)]
    text: LenientField<'a>,
}
