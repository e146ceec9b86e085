use std::ops::ControlFlow;

use serde::Deserialize;
use serde_json::value::RawValue;
use silcrow_event as event;

use crate::answer::{Answer, Api, Broken, Out};
use crate::ends;
use crate::lenient::{Field, Object};

/// Reads chunks, which are alike in a stream and alone.
pub(crate) struct Reader;

impl Api for Reader {
    fn event(
        &mut self,
        data: &str,
        answer: &mut Answer,
        out: &mut Out,
    ) -> Result<ControlFlow<()>, Broken> {
        chunk(data, answer, out)?;
        Ok(ControlFlow::Continue(()))
    }

    /// A server that was not understood to be asked for events gives an array of all of them.
    fn whole(&mut self, body: &str, answer: &mut Answer, out: &mut Out) -> Result<(), Broken> {
        if !body.trim_start().starts_with('[') {
            return chunk(body, answer, out);
        }
        let chunks: Vec<&RawValue> = serde_json::from_str(body)?;
        chunks.into_iter().try_for_each(|data| chunk(data.get(), answer, out))
    }
}

fn chunk(data: &str, answer: &mut Answer, out: &mut Out) -> Result<(), Broken> {
    let chunk: Chunk<'_> = serde_json::from_str(data)?;
    if chunk.error.is_set() {
        return answer.failed(data);
    }
    answer.report(chunk.usage_metadata.read::<Usage<'_>>());
    if chunk.prompt_feedback.unwrap_or_default().block_reason.is_set() {
        answer.end(ends::GEMINI, "SAFETY", "");
    }
    let candidates = chunk.candidates.unwrap_or_default().into_iter().filter_map(|object| object.0);
    for candidate in candidates {
        if !candidate.index.is_beyond_zero() {
            candidate.say(answer, out);
        }
    }
    Ok(())
}

/// One chunk. Everything may be missing, and more may be there.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Chunk<'a> {
    #[serde(borrow)]
    error: Field<'a>,
    #[serde(borrow)]
    candidates: Option<Vec<Object<Candidate<'a>>>>,
    #[serde(borrow)]
    prompt_feedback: Object<Feedback<'a>>,
    #[serde(borrow)]
    usage_metadata: Field<'a>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Feedback<'a> {
    #[serde(borrow)]
    block_reason: Field<'a>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Candidate<'a> {
    #[serde(borrow)]
    index: Field<'a>,
    #[serde(borrow)]
    content: Object<Content<'a>>,
    #[serde(borrow)]
    finish_reason: Field<'a>,
    /// What it says of the reason.
    #[serde(borrow)]
    finish_message: Field<'a>,
}

/// What the model says.
#[derive(Default, Deserialize)]
pub(crate) struct Content<'a> {
    #[serde(borrow)]
    parts: Field<'a>,
}

#[derive(Deserialize)]
struct Part<'a> {
    #[serde(borrow)]
    text: Field<'a>,
    #[serde(borrow)]
    thought: Field<'a>,
}

impl Content<'_> {
    pub(crate) fn say(&self, answer: &mut Answer, out: &mut Out) {
        for part in self.parts.items() {
            let Some(Part { text, thought }) = part.read().and_then(|Object(part)| part) else {
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

impl Candidate<'_> {
    fn say(self, answer: &mut Answer, out: &mut Out) {
        self.content.unwrap_or_default().say(answer, out);
        if let Some(reason) = self.finish_reason.word() {
            answer.end(ends::GEMINI, &reason, &self.finish_message.word().unwrap_or_default());
        }
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Usage<'a> {
    #[serde(borrow)]
    prompt_token_count: Field<'a>,
    #[serde(borrow)]
    cached_content_token_count: Field<'a>,
    #[serde(borrow)]
    candidates_token_count: Field<'a>,
    /// Not counted among the candidates'.
    #[serde(borrow)]
    thoughts_token_count: Field<'a>,
}

impl From<Usage<'_>> for event::Usage {
    fn from(usage: Usage<'_>) -> Self {
        let written = usage.candidates_token_count.count().unwrap_or_default();
        let reasoning = usage.thoughts_token_count.count().unwrap_or_default();
        Self {
            input: usage.prompt_token_count.count().unwrap_or_default(),
            output: written.saturating_add(reasoning),
            cached: usage.cached_content_token_count.count().unwrap_or_default(),
            reasoning,
            ..Self::default()
        }
    }
}

#[cfg(test)]
mod tests;
