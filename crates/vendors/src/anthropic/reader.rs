use std::borrow::Cow;
use std::ops::ControlFlow;

use serde::Deserialize;
use serde_json::value::RawValue;
use silcrow_event as event;
use silcrow_provider::Finish;

use crate::answer::{Answer, Api, Broken, Out};
use crate::text::Piece;

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
                finish(event.delta.and_then(|delta| delta.stop_reason), answer);
            }
            "message_stop" => return Ok(ControlFlow::Break(())),
            // Others may be added to the API at any time.
            _ => {}
        }
        Ok(ControlFlow::Continue(()))
    }

    fn whole(&mut self, body: &str, answer: &mut Answer, out: &mut Out) -> Result<(), Broken> {
        let message: Message<'_> = serde_json::from_str(body)?;
        if message.r#type.as_deref() == Some("error") || message.error.is_some() {
            return answer.failed(body);
        }
        for block in message.content.unwrap_or_default() {
            block.say(answer, out);
        }
        self.report(message.usage, answer);
        finish(message.stop_reason, answer);
        Ok(())
    }
}

impl Reader {
    /// A report in another shape costs the figures, not the answer.
    fn report(&mut self, usage: Option<&RawValue>, answer: &mut Answer) {
        let Some(new) = usage.and_then(|usage| serde_json::from_str::<Usage>(usage.get()).ok())
        else {
            return;
        };
        let usage = &mut self.usage;
        usage.input_tokens = new.input_tokens.or(usage.input_tokens);
        usage.output_tokens = new.output_tokens.or(usage.output_tokens);
        usage.cache_read_input_tokens =
            new.cache_read_input_tokens.or(usage.cache_read_input_tokens);
        usage.cache_creation_input_tokens =
            new.cache_creation_input_tokens.or(usage.cache_creation_input_tokens);
        usage.output_tokens_details = new.output_tokens_details.or(usage.output_tokens_details);
        answer.usage = Some(usage.sum());
    }
}

fn finish(reason: Option<Cow<'_, str>>, answer: &mut Answer) {
    let Some(reason) = reason else { return };
    answer.finish = Some(match &*reason {
        "end_turn" | "stop_sequence" => answer.stop(),
        "max_tokens" | "model_context_window_exceeded" => Finish::Length,
        "refusal" => Finish::Filter,
        other => Finish::Other(other.to_owned()),
    });
}

#[derive(Deserialize)]
struct Event<'a> {
    #[serde(borrow)]
    r#type: Cow<'a, str>,
    #[serde(borrow)]
    message: Option<Message<'a>>,
    #[serde(borrow)]
    content_block: Option<Block<'a>>,
    #[serde(borrow)]
    delta: Option<Block<'a>>,
    #[serde(borrow)]
    usage: Option<&'a RawValue>,
}

#[derive(Default, Deserialize)]
struct Message<'a> {
    #[serde(borrow)]
    r#type: Option<Cow<'a, str>>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
    #[serde(borrow)]
    content: Option<Vec<Block<'a>>>,
    #[serde(borrow)]
    stop_reason: Option<Cow<'a, str>>,
    #[serde(borrow)]
    usage: Option<&'a RawValue>,
}

/// A block of content, its start, or what is added to it; at the end of a message why it is over.
/// Blocks of other kinds have neither text nor thinking.
#[derive(Default, Deserialize)]
struct Block<'a> {
    text: Option<Piece>,
    thinking: Option<Piece>,
    #[serde(borrow)]
    stop_reason: Option<Cow<'a, str>>,
}

impl Block<'_> {
    fn say(self, answer: &mut Answer, out: &mut Out) {
        if let Some(piece) = self.thinking {
            answer.reason(&piece, out);
        }
        if let Some(piece) = self.text {
            answer.text(&piece, out);
        }
    }
}

#[derive(Default, Deserialize)]
struct Usage {
    /// Neither read from the cache nor written to it.
    input_tokens: Option<u64>,
    cache_read_input_tokens: Option<u64>,
    cache_creation_input_tokens: Option<u64>,
    output_tokens: Option<u64>,
    output_tokens_details: Option<Written>,
}

#[derive(Clone, Copy, Deserialize)]
struct Written {
    thinking_tokens: Option<u64>,
}

impl Usage {
    fn sum(&self) -> event::Usage {
        let [fresh, written, read, output] = [
            self.input_tokens,
            self.cache_creation_input_tokens,
            self.cache_read_input_tokens,
            self.output_tokens,
        ]
        .map(Option::unwrap_or_default);
        let input = fresh.saturating_add(written).saturating_add(read);
        let thought = self.output_tokens_details.and_then(|of| of.thinking_tokens);
        let reasoning = thought.unwrap_or_default();
        event::Usage { input, output, cached: read, reasoning, ..event::Usage::default() }
    }
}

#[cfg(test)]
mod tests;
