//! Decodes the chunks of Chat Completions, and whole answers.

use std::ops::ControlFlow;
use std::sync::Arc;

use serde::Deserialize;
use silcrow_event as event;
use silcrow_provider::ToolDeclaration;

use crate::answer::{AnswerBuilder, DeltaQueue, EventError, EventReader};
use crate::calls::AnswerCalls;
use crate::chat::kept::KeptReasoning;
use crate::chat::{calls, content};
use crate::ends;
use crate::lenient::{LenientField, LenientObject};
use crate::thoughts::InlineReasoning;
use crate::usage::{self, InputTokenDetails, OutputTokenDetails};

/// Reads chunks. The text is in `delta`, or in `message` if the answer does not stream.
#[derive(Default)]
pub(crate) struct ChatReader {
    reasoning: InlineReasoning,
    calls: AnswerCalls,
    kept: KeptReasoning,
}

impl ChatReader {
    pub(crate) fn new(reasoning: InlineReasoning, tools: &Arc<[ToolDeclaration]>) -> Self {
        Self { reasoning, calls: AnswerCalls::new(tools), kept: KeptReasoning::default() }
    }

    /// Takes a message, or a piece of one, and the data about its end.
    fn take(
        &mut self,
        message: ChatMessage<'_>,
        end_reason: LenientField<'_>,
        answer: &mut AnswerBuilder,
        out: &mut DeltaQueue,
    ) -> Result<(), EventError> {
        message.add_to(answer, out);
        if self.calls.are_declared() {
            let ChatMessage { reasoning_content, reasoning, reasoning_details, .. } = message;
            self.kept.take([reasoning_content, reasoning, reasoning_details]);
            if message.tool_calls.is_set() {
                self.kept.give(out);
            }
            calls::add_to(message.tool_calls, &mut self.calls, answer, out)?;
        }
        end(end_reason, answer);
        Ok(())
    }
}

impl EventReader for ChatReader {
    fn event(
        &mut self,
        data: &str,
        answer: &mut AnswerBuilder,
        out: &mut DeltaQueue,
    ) -> Result<ControlFlow<()>, EventError> {
        for ChatChoice { delta, finish_reason, .. } in choices(data, answer)? {
            self.take(delta.unwrap_or_default(), finish_reason, answer, out)?;
            // A call is complete if no part of the answer is missing.
            if answer.is_whole() {
                self.calls.end(None, out);
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Takes a whole answer, which is complete even if the server sends no finish reason.
    fn whole(
        &mut self,
        body: &str,
        answer: &mut AnswerBuilder,
        out: &mut DeltaQueue,
    ) -> Result<(), EventError> {
        for ChatChoice { message, finish_reason, .. } in choices(body, answer)? {
            end(finish_reason, answer);
            if let Some(message) = message.0 {
                self.take(message, LenientField::default(), answer, out)?;
                stop(answer);
                if answer.is_whole() {
                    self.calls.end(None, out);
                }
            }
        }
        Ok(())
    }

    /// Takes the end mark, which completes an answer whose usage has arrived.
    fn done(&mut self, answer: &mut AnswerBuilder) {
        if answer.usage.is_some() {
            stop(answer);
        }
    }

    fn inline_reasoning(&self) -> InlineReasoning {
        self.reasoning
    }
}

fn end(reason: LenientField<'_>, answer: &mut AnswerBuilder) {
    if let Some(reason) = reason.word() {
        answer.end(ends::CHAT, &reason, "");
    }
}

/// Ends the answer as if the model had ended it, unless its end is known.
fn stop(answer: &mut AnswerBuilder) {
    if !answer.is_finished() {
        answer.end(ends::CHAT, "stop", "");
    }
}

/// Returns the choices of a chunk that belong to the first answer, if several were requested, and
/// reports the rest of the chunk to `answer`.
fn choices<'a>(
    data: &'a str,
    answer: &mut AnswerBuilder,
) -> Result<Vec<ChatChoice<'a>>, EventError> {
    let chunk: ChatChunk<'_> = serde_json::from_str(data)?;
    if chunk.is_error() {
        return answer.failed(data);
    }
    let gateway = chunk.x_groq.unwrap_or_default().usage;
    answer.report([chunk.usage, gateway].into_iter().find_map(LenientField::read::<ChatUsage<'_>>));
    let choices = chunk.choices.unwrap_or_default().into_iter().filter_map(|choice| choice.0);
    let mut first: Vec<_> = choices.filter(|choice| !choice.index.is_beyond_zero()).collect();
    answer.report(first.iter().find_map(|choice| choice.usage.read::<ChatUsage<'_>>()));
    match first.iter_mut().find(|choice| choice.error.is_set()) {
        Some(choice) => answer.failed(choice.error.json()),
        None => Ok(first),
    }
}

/// One chunk of a stream, or a whole answer. Every part is optional.
#[derive(Deserialize)]
struct ChatChunk<'a> {
    #[serde(borrow)]
    error: LenientField<'a>,
    #[serde(borrow)]
    message: LenientField<'a>,
    #[serde(borrow)]
    choices: Option<Vec<LenientObject<ChatChoice<'a>>>>,
    #[serde(borrow)]
    usage: LenientField<'a>,
    /// Groq's own place for it.
    #[serde(borrow)]
    x_groq: LenientObject<GroqExtra<'a>>,
}

#[derive(Default, Deserialize)]
struct GroqExtra<'a> {
    #[serde(borrow)]
    usage: LenientField<'a>,
}

impl ChatChunk<'_> {
    /// Returns whether it is an error: one in its own field, or an object that is not a chunk.
    fn is_error(&self) -> bool {
        self.error.is_set() || self.choices.is_none() && self.message.word().is_some()
    }
}

#[derive(Deserialize)]
struct ChatChoice<'a> {
    #[serde(borrow)]
    index: LenientField<'a>,
    #[serde(borrow)]
    delta: LenientObject<ChatMessage<'a>>,
    #[serde(borrow)]
    message: LenientObject<ChatMessage<'a>>,
    #[serde(borrow)]
    finish_reason: LenientField<'a>,
    /// Some gateways write an error next to a delta.
    #[serde(borrow)]
    error: LenientField<'a>,
    /// Moonshot's place for the usage.
    #[serde(borrow)]
    usage: LenientField<'a>,
}

#[derive(Default, Deserialize)]
struct ChatMessage<'a> {
    #[serde(borrow)]
    content: LenientField<'a>,
    #[serde(borrow)]
    reasoning_content: LenientField<'a>,
    #[serde(borrow)]
    reasoning: LenientField<'a>,
    #[serde(borrow)]
    reasoning_details: LenientField<'a>,
    #[serde(borrow)]
    refusal: LenientField<'a>,
    #[serde(borrow)]
    tool_calls: LenientField<'a>,
}

impl ChatMessage<'_> {
    fn add_to(&self, answer: &mut AnswerBuilder, out: &mut DeltaQueue) {
        // Some servers write the same text under both names.
        let thoughts = [self.reasoning_content, self.reasoning].map(LenientField::text);
        if let Some(piece) = thoughts.into_iter().flatten().find(|piece| !piece.is_empty()) {
            answer.reason(&piece, out);
        }
        content::add_to(self.content, answer, out);
        if let Some(piece) = self.refusal.text() {
            answer.refuse(&piece, out);
        }
    }
}

#[derive(Deserialize)]
struct ChatUsage<'a> {
    #[serde(borrow)]
    prompt_tokens: LenientField<'a>,
    #[serde(borrow)]
    completion_tokens: LenientField<'a>,
    /// The cached tokens, as DeepSeek and Moonshot name them.
    #[serde(borrow)]
    prompt_cache_hit_tokens: LenientField<'a>,
    #[serde(borrow)]
    cached_tokens: LenientField<'a>,
    #[serde(borrow)]
    prompt_tokens_details: LenientObject<InputTokenDetails<'a>>,
    #[serde(borrow)]
    completion_tokens_details: LenientObject<OutputTokenDetails<'a>>,
}

impl From<ChatUsage<'_>> for event::Usage {
    fn from(usage: ChatUsage<'_>) -> Self {
        let mut details = usage.prompt_tokens_details.unwrap_or_default();
        let places = [details.cached_tokens, usage.prompt_cache_hit_tokens, usage.cached_tokens];
        let found = places.into_iter().find(|place| place.count().is_some());
        details.cached_tokens = found.unwrap_or_default();
        usage::with_details(
            [usage.prompt_tokens, usage.completion_tokens],
            LenientObject(Some(details)),
            usage.completion_tokens_details,
        )
    }
}

#[cfg(test)]
mod tests;
