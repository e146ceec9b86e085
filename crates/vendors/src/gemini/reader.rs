//! Decodes the chunks of `generateContent`. A whole answer has the shape of a chunk.

use std::borrow::Cow;
use std::ops::ControlFlow;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::value::RawValue;
use silcrow_event as event;
use silcrow_provider::ToolDeclaration;

use crate::answer::{AnswerBuilder, DeltaQueue, EventError, EventReader};
use crate::calls::AnswerCalls;
use crate::ends;
use crate::lenient::{LenientField, LenientObject};
use crate::usage;

/// Reads chunks.
#[derive(Default)]
pub(crate) struct GeminiReader {
    calls: AnswerCalls,
    /// The number of calls so far.
    count: u64,
}

impl GeminiReader {
    pub(crate) fn new(tools: &Arc<[ToolDeclaration]>) -> Self {
        Self { calls: AnswerCalls::new(tools), count: 0 }
    }
}

impl EventReader for GeminiReader {
    fn event(
        &mut self,
        data: &str,
        answer: &mut AnswerBuilder,
        out: &mut DeltaQueue,
    ) -> Result<ControlFlow<()>, EventError> {
        chunk(data, self, answer, out)?;
        Ok(ControlFlow::Continue(()))
    }

    /// Takes a whole answer, or the array of chunks of a server without streams of events.
    fn whole(
        &mut self,
        body: &str,
        answer: &mut AnswerBuilder,
        out: &mut DeltaQueue,
    ) -> Result<(), EventError> {
        if !body.trim_start().starts_with('[') {
            return chunk(body, self, answer, out);
        }
        let chunks: Vec<&RawValue> = serde_json::from_str(body)?;
        chunks.into_iter().try_for_each(|data| chunk(data.get(), self, answer, out))
    }
}

fn chunk(
    data: &str,
    reader: &mut GeminiReader,
    answer: &mut AnswerBuilder,
    out: &mut DeltaQueue,
) -> Result<(), EventError> {
    let chunk: GeminiChunk<'_> = serde_json::from_str(data)?;
    if chunk.error.is_set() {
        return answer.failed(data);
    }
    answer.report(chunk.usage_metadata.read::<GeminiUsage<'_>>());
    if chunk.prompt_feedback.unwrap_or_default().block_reason.is_set() {
        answer.end(ends::GEMINI, "SAFETY", "");
    }
    let candidates = chunk.candidates.unwrap_or_default().into_iter().filter_map(|object| object.0);
    for candidate in candidates {
        if !candidate.index.is_beyond_zero() {
            candidate.add_to(reader, answer, out);
        }
    }
    Ok(())
}

/// One chunk. Every part is optional.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct GeminiChunk<'a> {
    #[serde(borrow)]
    error: LenientField<'a>,
    #[serde(borrow)]
    candidates: Option<Vec<LenientObject<GeminiCandidate<'a>>>>,
    #[serde(borrow)]
    prompt_feedback: LenientObject<PromptFeedback<'a>>,
    #[serde(borrow)]
    usage_metadata: LenientField<'a>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct PromptFeedback<'a> {
    #[serde(borrow)]
    block_reason: LenientField<'a>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct GeminiCandidate<'a> {
    #[serde(borrow)]
    index: LenientField<'a>,
    #[serde(borrow)]
    content: LenientObject<GeminiContent<'a>>,
    #[serde(borrow)]
    finish_reason: LenientField<'a>,
    /// The explanation of the reason.
    #[serde(borrow)]
    finish_message: LenientField<'a>,
}

/// The content that the model wrote.
#[derive(Default, Deserialize)]
pub(crate) struct GeminiContent<'a> {
    #[serde(borrow)]
    parts: LenientField<'a>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct GeminiPart<'a> {
    #[serde(borrow)]
    text: LenientField<'a>,
    #[serde(borrow)]
    thought: LenientField<'a>,
    #[serde(borrow)]
    function_call: LenientObject<GeminiCall<'a>>,
    #[serde(borrow)]
    thought_signature: LenientField<'a>,
}

#[derive(Default, Deserialize)]
struct GeminiCall<'a> {
    #[serde(borrow)]
    id: LenientField<'a>,
    #[serde(borrow)]
    name: LenientField<'a>,
    #[serde(borrow)]
    args: LenientField<'a>,
}

impl GeminiContent<'_> {
    pub(crate) fn add_to(&self, answer: &mut AnswerBuilder, out: &mut DeltaQueue) {
        for part in self.parts.items() {
            let Some(GeminiPart { text, thought, .. }) =
                part.read().and_then(|LenientObject(part)| part)
            else {
                continue;
            };
            match text.text() {
                Some(piece) if thought.is_set() => answer.reason(&piece, out),
                Some(piece) => answer.text(&piece, out),
                None => {}
            }
        }
    }
}

impl GeminiReader {
    /// Takes the calls in a content. They come whole.
    fn take_calls(&mut self, content: &GeminiContent<'_>, out: &mut DeltaQueue) {
        for part in content.parts.items() {
            let part = part.read().and_then(|LenientObject::<GeminiPart<'_>>(part)| part);
            let Some(GeminiPart { function_call, thought_signature, .. }) = part else { continue };
            let LenientObject(Some(call)) = function_call else { continue };
            self.count += 1;
            if self.calls.open(&self.count.to_string(), None, out).is_ok() {
                self.calls.id(&call.id.word().unwrap_or_default());
                self.calls.name(&call.name.word().unwrap_or_default(), out);
                if !call.args.json().is_empty() {
                    self.calls.args(&call.args.json().into(), out);
                }
                self.calls.end(thought_signature.word().map(Cow::into_owned), out);
            }
        }
    }
}

impl GeminiCandidate<'_> {
    fn add_to(self, reader: &mut GeminiReader, answer: &mut AnswerBuilder, out: &mut DeltaQueue) {
        let content = self.content.unwrap_or_default();
        content.add_to(answer, out);
        if reader.calls.are_declared() {
            reader.take_calls(&content, out);
        }
        if let Some(reason) = self.finish_reason.word() {
            answer.end(ends::GEMINI, &reason, &self.finish_message.word().unwrap_or_default());
        }
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct GeminiUsage<'a> {
    #[serde(borrow)]
    prompt_token_count: LenientField<'a>,
    #[serde(borrow)]
    cached_content_token_count: LenientField<'a>,
    #[serde(borrow)]
    candidates_token_count: LenientField<'a>,
    /// The tokens of thoughts, which the candidates' tokens do not include.
    #[serde(borrow)]
    thoughts_token_count: LenientField<'a>,
}

impl From<GeminiUsage<'_>> for event::Usage {
    fn from(usage: GeminiUsage<'_>) -> Self {
        usage::with_thoughts_apart([
            usage.prompt_token_count,
            usage.cached_content_token_count,
            usage.candidates_token_count,
            usage.thoughts_token_count,
        ])
    }
}

#[cfg(test)]
mod tests;
