use std::borrow::Cow;
use std::ops::ControlFlow;

use serde::Deserialize;
use serde_json::value::RawValue;
use silcrow_event as event;
use silcrow_provider::Finish;

use crate::answer::{Answer, Api, Broken, Out};
use crate::text::Piece;

/// Reads chunks: the text is in `delta`, or in `message` where the answer comes whole.
pub(crate) struct Reader;

impl Api for Reader {
    fn event(
        &mut self,
        data: &str,
        answer: &mut Answer,
        out: &mut Out,
    ) -> Result<ControlFlow<()>, Broken> {
        chunk(data, |choice| choice.delta.take(), answer, out)?;
        Ok(ControlFlow::Continue(()))
    }

    fn whole(&mut self, body: &str, answer: &mut Answer, out: &mut Out) -> Result<(), Broken> {
        chunk(body, |choice| choice.message.take(), answer, out)
    }
}

fn chunk(
    data: &str,
    part: fn(&mut Choice<'_>) -> Option<Part>,
    answer: &mut Answer,
    out: &mut Out,
) -> Result<(), Broken> {
    let chunk: Chunk<'_> = serde_json::from_str(data)?;
    if chunk.is_error() {
        return answer.failed(data);
    }
    // A report in another shape costs the figures, not the answer.
    let usage = chunk.usage.and_then(|usage| serde_json::from_str(usage.get()).ok());
    answer.usage = usage.map(Usage::into).or(answer.usage);
    for mut choice in chunk.choices.unwrap_or_default() {
        if choice.index.is_none_or(|index| index == 0) {
            take(part(&mut choice).unwrap_or_default(), choice.finish_reason, answer, out);
        }
    }
    Ok(())
}

fn take(part: Part, reason: Option<Cow<'_, str>>, answer: &mut Answer, out: &mut Out) {
    if let Some(piece) = part.reasoning_content.or(part.reasoning) {
        answer.reason(&piece, out);
    }
    if let Some(piece) = part.content {
        answer.text(&piece, out);
    }
    if let Some(piece) = part.refusal {
        answer.refuse(&piece, out);
    }
    if let Some(reason) = reason.filter(|reason| !reason.is_empty()) {
        answer.finish = Some(match &*reason {
            "stop" => answer.stop(),
            "length" => Finish::Length,
            "content_filter" => Finish::Filter,
            other => Finish::Other(other.to_owned()),
        });
    }
}

/// One chunk of a stream, or a whole answer. Everything may be missing, and more may be there.
#[derive(Deserialize)]
struct Chunk<'a> {
    #[serde(borrow)]
    error: Option<&'a RawValue>,
    #[serde(borrow)]
    message: Option<&'a RawValue>,
    #[serde(borrow)]
    choices: Option<Vec<Choice<'a>>>,
    #[serde(borrow)]
    usage: Option<&'a RawValue>,
}

impl Chunk<'_> {
    /// An error under its own name, or a flat one in the place of a chunk.
    fn is_error(&self) -> bool {
        let flat = || self.message.is_some_and(|message| message.get().starts_with('"'));
        self.error.is_some() || self.choices.is_none() && flat()
    }
}

#[derive(Deserialize)]
struct Choice<'a> {
    index: Option<u64>,
    delta: Option<Part>,
    message: Option<Part>,
    #[serde(borrow)]
    finish_reason: Option<Cow<'a, str>>,
}

#[derive(Default, Deserialize)]
struct Part {
    content: Option<Piece>,
    reasoning_content: Option<Piece>,
    reasoning: Option<Piece>,
    refusal: Option<Piece>,
}

#[derive(Deserialize)]
struct Usage {
    prompt_tokens: Option<u64>,
    completion_tokens: Option<u64>,
    prompt_tokens_details: Option<Read>,
    completion_tokens_details: Option<Written>,
}

#[derive(Deserialize)]
struct Read {
    cached_tokens: Option<u64>,
}

#[derive(Deserialize)]
struct Written {
    reasoning_tokens: Option<u64>,
}

impl From<Usage> for event::Usage {
    fn from(usage: Usage) -> Self {
        Self {
            input: usage.prompt_tokens.unwrap_or_default(),
            output: usage.completion_tokens.unwrap_or_default(),
            cached: usage.prompt_tokens_details.and_then(|of| of.cached_tokens).unwrap_or_default(),
            reasoning: usage
                .completion_tokens_details
                .and_then(|of| of.reasoning_tokens)
                .unwrap_or_default(),
            ..Self::default()
        }
    }
}

#[cfg(test)]
mod tests;
