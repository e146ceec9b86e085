use std::borrow::Cow;
use std::ops::ControlFlow;

use serde::Deserialize;
use silcrow_event as event;

use crate::answer::{Answer, Api, Broken, Out};
use crate::ends;
use crate::lenient::{Field, Object};

/// Reads the events of a message, or a whole one.
#[derive(Default)]
pub(crate) struct Reader {
    /// Reported in parts: what was read at the start, what was written at the end.
    usage: Usage,
}

impl Api for Reader {
    fn event(
        &mut self,
        data: &str,
        answer: &mut Answer,
        out: &mut Out,
    ) -> Result<ControlFlow<()>, Broken> {
        let event: Event<'_> = serde_json::from_str(data)?;
        match &*event.r#type {
            "error" => return answer.failed(data),
            "message_start" => self.report(event.message.unwrap_or_default().usage, answer),
            "content_block_start" => event.content_block.unwrap_or_default().say(answer, out),
            "content_block_delta" => event.delta.unwrap_or_default().say(answer, out),
            "message_delta" => {
                self.report(event.usage, answer);
                finish(event.delta.unwrap_or_default().stop_reason, answer);
            }
            "message_stop" => return Ok(ControlFlow::Break(())),
            // Others may be added to the API at any time.
            _ => {}
        }
        Ok(ControlFlow::Continue(()))
    }

    fn whole(&mut self, body: &str, answer: &mut Answer, out: &mut Out) -> Result<(), Broken> {
        let message: Message<'_> = serde_json::from_str(body)?;
        if message.r#type.word().as_deref() == Some("error") || message.error.is_set() {
            return answer.failed(body);
        }
        for block in message.content.items() {
            let block: Option<Object<Block<'_>>> = block.read();
            block.unwrap_or_default().unwrap_or_default().say(answer, out);
        }
        self.report(message.usage, answer);
        finish(message.stop_reason, answer);
        Ok(())
    }
}

impl Reader {
    fn report(&mut self, usage: Field<'_>, answer: &mut Answer) {
        if let Some(report) = usage.read::<Report<'_>>() {
            self.usage.update(&report);
            answer.report(Some(self.usage.sum()));
        }
    }
}

fn finish(reason: Field<'_>, answer: &mut Answer) {
    if let Some(reason) = reason.word() {
        answer.end(ends::MESSAGES, &reason, "");
    }
}

#[derive(Deserialize)]
struct Event<'a> {
    #[serde(borrow)]
    r#type: Cow<'a, str>,
    #[serde(borrow)]
    message: Object<Message<'a>>,
    #[serde(borrow)]
    content_block: Object<Block<'a>>,
    #[serde(borrow)]
    delta: Object<Block<'a>>,
    #[serde(borrow)]
    usage: Field<'a>,
}

#[derive(Default, Deserialize)]
struct Message<'a> {
    #[serde(borrow)]
    r#type: Field<'a>,
    #[serde(borrow)]
    error: Field<'a>,
    #[serde(borrow)]
    content: Field<'a>,
    #[serde(borrow)]
    stop_reason: Field<'a>,
    #[serde(borrow)]
    usage: Field<'a>,
}

/// A block of content, its start, or what is added to it; at the end of a message why it is over.
/// Blocks of other kinds have neither text nor thinking.
#[derive(Default, Deserialize)]
struct Block<'a> {
    #[serde(borrow)]
    text: Field<'a>,
    #[serde(borrow)]
    thinking: Field<'a>,
    #[serde(borrow)]
    stop_reason: Field<'a>,
}

impl Block<'_> {
    fn say(&self, answer: &mut Answer, out: &mut Out) {
        self.thinking.text().iter().for_each(|piece| answer.reason(piece, out));
        self.text.text().iter().for_each(|piece| answer.text(piece, out));
    }
}

/// What is counted, as far as it is reported.
#[derive(Default)]
struct Usage {
    /// Neither read from the cache nor written to it.
    input: Option<u64>,
    cache_read: Option<u64>,
    cache_write: Option<u64>,
    output: Option<u64>,
    thinking: Option<u64>,
}

impl Usage {
    /// Takes in a report; what is not in it stays as it was.
    fn update(&mut self, report: &Report<'_>) {
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
        event::Usage { input, output, cached, reasoning, ..event::Usage::default() }
    }
}

#[derive(Deserialize)]
struct Report<'a> {
    #[serde(borrow)]
    input_tokens: Field<'a>,
    #[serde(borrow)]
    cache_read_input_tokens: Field<'a>,
    #[serde(borrow)]
    cache_creation_input_tokens: Field<'a>,
    #[serde(borrow)]
    output_tokens: Field<'a>,
    #[serde(borrow)]
    output_tokens_details: Object<Written<'a>>,
}

#[derive(Deserialize)]
struct Written<'a> {
    #[serde(borrow)]
    thinking_tokens: Field<'a>,
}

#[cfg(test)]
mod tests;
