//! Decodes the events of Messages, and whole messages.

use std::borrow::Cow;
use std::ops::ControlFlow;
use std::sync::Arc;

use serde::Deserialize;
use silcrow_event as event;
use silcrow_provider::ToolDeclaration;

use crate::answer::{AnswerBuilder, DeltaQueue, EventError, EventReader};
use crate::calls::AnswerCalls;
use crate::ends;
use crate::lenient::{LenientField, LenientObject};
use crate::messages::blocks::{MessagesBlock, OpenBlock};

/// Reads the events of a message, or a whole message.
#[derive(Default)]
pub(crate) struct MessagesReader {
    /// The usage so far; the server reports input at the start and output at the end.
    usage: MessagesUsage,
    block: OpenBlock,
    calls: AnswerCalls,
}

impl EventReader for MessagesReader {
    fn event(
        &mut self,
        data: &str,
        answer: &mut AnswerBuilder,
        out: &mut DeltaQueue,
    ) -> Result<ControlFlow<()>, EventError> {
        let event: MessagesEvent<'_> = serde_json::from_str(data)?;
        match &*event.r#type {
            "error" => return answer.failed(data),
            "message_start" => self.report(event.message.unwrap_or_default().usage, answer),
            "content_block_start" => {
                let block = event.content_block.unwrap_or_default();
                self.block.start(&block, &mut self.calls, answer, out)?;
            }
            "content_block_delta" => {
                let delta = event.delta.unwrap_or_default();
                self.block.delta(&delta, &mut self.calls, answer, out);
            }
            "content_block_stop" => self.block.stop(&mut self.calls, out),
            "message_delta" => {
                self.report(event.usage, answer);
                finish(event.delta.unwrap_or_default().stop_reason, answer);
            }
            "message_stop" => return Ok(ControlFlow::Break(())),
            // The API may add other events at any time.
            _ => {}
        }
        Ok(ControlFlow::Continue(()))
    }

    fn whole(
        &mut self,
        body: &str,
        answer: &mut AnswerBuilder,
        out: &mut DeltaQueue,
    ) -> Result<(), EventError> {
        let message: MessagesMessage<'_> = serde_json::from_str(body)?;
        if message.r#type.word().as_deref() == Some("error") || message.error.is_set() {
            return answer.failed(body);
        }
        for block in message.content.items() {
            let block: Option<LenientObject<MessagesBlock<'_>>> = block.read();
            let block = block.unwrap_or_default().unwrap_or_default();
            self.block.start(&block, &mut self.calls, answer, out)?;
            self.block.stop(&mut self.calls, out);
        }
        self.report(message.usage, answer);
        finish(message.stop_reason, answer);
        Ok(())
    }
}

impl MessagesReader {
    pub(crate) fn new(tools: &Arc<[ToolDeclaration]>) -> Self {
        Self { calls: AnswerCalls::new(tools), ..Self::default() }
    }

    fn report(&mut self, usage: LenientField<'_>, answer: &mut AnswerBuilder) {
        if let Some(report) = usage.read::<MessagesUsageReport<'_>>() {
            self.usage.update(&report);
            answer.report(Some(self.usage.sum()));
        }
    }
}

fn finish(reason: LenientField<'_>, answer: &mut AnswerBuilder) {
    if let Some(reason) = reason.word() {
        answer.end(ends::MESSAGES, &reason, "");
    }
}

#[derive(Deserialize)]
struct MessagesEvent<'a> {
    #[serde(borrow)]
    r#type: Cow<'a, str>,
    #[serde(borrow)]
    message: LenientObject<MessagesMessage<'a>>,
    #[serde(borrow)]
    content_block: LenientObject<MessagesBlock<'a>>,
    #[serde(borrow)]
    delta: LenientObject<MessagesBlock<'a>>,
    #[serde(borrow)]
    usage: LenientField<'a>,
}

#[derive(Default, Deserialize)]
struct MessagesMessage<'a> {
    #[serde(borrow)]
    r#type: LenientField<'a>,
    #[serde(borrow)]
    error: LenientField<'a>,
    #[serde(borrow)]
    content: LenientField<'a>,
    #[serde(borrow)]
    stop_reason: LenientField<'a>,
    #[serde(borrow)]
    usage: LenientField<'a>,
}

/// The counts that were reported so far.
#[derive(Default)]
struct MessagesUsage {
    /// Tokens that were neither read from the cache nor written to it.
    input: Option<u64>,
    cache_read: Option<u64>,
    cache_write: Option<u64>,
    output: Option<u64>,
    thinking: Option<u64>,
}

impl MessagesUsage {
    /// Replaces the counts that a report has, and keeps the others.
    fn update(&mut self, report: &MessagesUsageReport<'_>) {
        let details = report.output_tokens_details.0.as_ref();
        self.input = report.input_tokens.count().or(self.input);
        self.cache_read = report.cache_read_input_tokens.count().or(self.cache_read);
        self.cache_write = report.cache_creation_input_tokens.count().or(self.cache_write);
        self.output = report.output_tokens.count().or(self.output);
        self.thinking = details.and_then(|of| of.thinking_tokens.count()).or(self.thinking);
    }

    fn sum(&self) -> event::Usage {
        let [fresh, written, cached, output, reasoning] =
            [self.input, self.cache_write, self.cache_read, self.output, self.thinking]
                .map(Option::unwrap_or_default);
        let input = fresh.saturating_add(written).saturating_add(cached);
        let cache_written = written;
        event::Usage { input, output, cached, cache_written, reasoning, ..event::Usage::default() }
    }
}

#[derive(Deserialize)]
struct MessagesUsageReport<'a> {
    #[serde(borrow)]
    input_tokens: LenientField<'a>,
    #[serde(borrow)]
    cache_read_input_tokens: LenientField<'a>,
    #[serde(borrow)]
    cache_creation_input_tokens: LenientField<'a>,
    #[serde(borrow)]
    output_tokens: LenientField<'a>,
    #[serde(borrow)]
    output_tokens_details: LenientObject<MessagesOutputDetails<'a>>,
}

#[derive(Deserialize)]
struct MessagesOutputDetails<'a> {
    #[serde(borrow)]
    thinking_tokens: LenientField<'a>,
}

#[cfg(test)]
mod tests;
