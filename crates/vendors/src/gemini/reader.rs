use std::borrow::Cow;
use std::ops::ControlFlow;

use serde::Deserialize;
use serde_json::value::RawValue;
use silcrow_event as event;
use silcrow_provider::Finish;

use crate::answer::{Answer, Api, Broken, Out};
use crate::text::Piece;

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
    if chunk.error.is_some() {
        return answer.failed(data);
    }
    // A report in another shape costs the figures, not the answer.
    let usage = chunk.usage_metadata.and_then(|usage| serde_json::from_str(usage.get()).ok());
    answer.usage = usage.map(Usage::into).or(answer.usage);
    if chunk.prompt_feedback.is_some_and(|feedback| feedback.block_reason.is_some()) {
        answer.finish = Some(Finish::Filter);
    }
    for candidate in chunk.candidates.unwrap_or_default() {
        if candidate.index.is_none_or(|index| index == 0) {
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
    error: Option<&'a RawValue>,
    #[serde(borrow)]
    candidates: Option<Vec<Candidate<'a>>>,
    #[serde(borrow)]
    prompt_feedback: Option<Feedback<'a>>,
    #[serde(borrow)]
    usage_metadata: Option<&'a RawValue>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Feedback<'a> {
    #[serde(borrow)]
    block_reason: Option<&'a RawValue>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Candidate<'a> {
    index: Option<u64>,
    content: Option<Content>,
    #[serde(borrow)]
    finish_reason: Option<Cow<'a, str>>,
}

#[derive(Default, Deserialize)]
struct Content {
    parts: Option<Vec<Part>>,
}

#[derive(Deserialize)]
struct Part {
    text: Option<Piece>,
    thought: Option<bool>,
}

impl Candidate<'_> {
    fn say(self, answer: &mut Answer, out: &mut Out) {
        for part in self.content.unwrap_or_default().parts.unwrap_or_default() {
            match part {
                Part { text: Some(piece), thought: Some(true) } => answer.reason(&piece, out),
                Part { text: Some(piece), .. } => answer.text(&piece, out),
                Part { text: None, .. } => {}
            }
        }
        if let Some(reason) = self.finish_reason.filter(|reason| !reason.is_empty()) {
            answer.finish = Some(finish(&reason));
        }
    }
}

fn finish(reason: &str) -> Finish {
    match reason {
        "STOP" => Finish::Stop,
        // The second is a limit of one request: the model would go on.
        "MAX_TOKENS" | "CONTINUATION" => Finish::Length,
        "SAFETY" | "RECITATION" | "LANGUAGE" | "BLOCKLIST" | "PROHIBITED_CONTENT" | "SPII" => {
            Finish::Filter
        }
        other => Finish::Other(other.to_owned()),
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Usage {
    prompt_token_count: Option<u64>,
    cached_content_token_count: Option<u64>,
    candidates_token_count: Option<u64>,
    /// Not counted among the candidates'.
    thoughts_token_count: Option<u64>,
}

impl From<Usage> for event::Usage {
    fn from(usage: Usage) -> Self {
        let written = usage.candidates_token_count.unwrap_or_default();
        let reasoning = usage.thoughts_token_count.unwrap_or_default();
        Self {
            input: usage.prompt_token_count.unwrap_or_default(),
            output: written.saturating_add(reasoning),
            cached: usage.cached_content_token_count.unwrap_or_default(),
            reasoning,
            ..Self::default()
        }
    }
}

#[cfg(test)]
mod tests;
