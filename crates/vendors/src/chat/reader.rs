use std::ops::ControlFlow;

use serde::Deserialize;
use silcrow_event as event;

use crate::answer::{Answer, Api, Broken, Out};
use crate::chat::content;
use crate::ends;
use crate::lenient::{Field, Object};
use crate::thoughts::InlineReasoning;

/// Reads chunks: the text is in `delta`, or in `message` where the answer comes whole.
#[derive(Default)]
pub(crate) struct Reader {
    reasoning: InlineReasoning,
}

impl Reader {
    pub(crate) const fn new(reasoning: InlineReasoning) -> Self {
        Self { reasoning }
    }
}

impl Api for Reader {
    fn event(
        &mut self,
        data: &str,
        answer: &mut Answer,
        out: &mut Out,
    ) -> Result<ControlFlow<()>, Broken> {
        for Choice { delta, finish_reason, .. } in choices(data, answer)? {
            delta.unwrap_or_default().say(answer, out);
            end(finish_reason, answer);
        }
        Ok(ControlFlow::Continue(()))
    }

    /// A message in JSON that is whole is whole, also where the server says nothing of its end.
    fn whole(&mut self, body: &str, answer: &mut Answer, out: &mut Out) -> Result<(), Broken> {
        for Choice { message, finish_reason, .. } in choices(body, answer)? {
            end(finish_reason, answer);
            if let Some(message) = message.0 {
                message.say(answer, out);
                stop(answer);
            }
        }
        Ok(())
    }

    /// A server that counted the tokens and wrote the last mark has said all of it.
    fn done(&mut self, answer: &mut Answer) {
        if answer.usage.is_some() {
            stop(answer);
        }
    }

    fn inline_reasoning(&self) -> InlineReasoning {
        self.reasoning
    }
}

fn end(reason: Field<'_>, answer: &mut Answer) {
    if let Some(reason) = reason.word() {
        answer.end(ends::CHAT, &reason, "");
    }
}

/// The model ended it, unless it is known how it ended.
fn stop(answer: &mut Answer) {
    if !answer.is_finished() {
        answer.end(ends::CHAT, "stop", "");
    }
}

/// The choices of a chunk that are of the first answer, where several were asked for. Takes in what
/// the chunk holds besides.
fn choices<'a>(data: &'a str, answer: &mut Answer) -> Result<Vec<Choice<'a>>, Broken> {
    let chunk: Chunk<'_> = serde_json::from_str(data)?;
    if chunk.is_error() {
        return answer.failed(data);
    }
    answer.report(chunk.usage.read::<Usage<'_>>());
    let choices = chunk.choices.unwrap_or_default().into_iter().filter_map(|choice| choice.0);
    let mut first: Vec<_> = choices.filter(|choice| !choice.index.is_beyond_zero()).collect();
    match first.iter_mut().find(|choice| choice.error.is_set()) {
        Some(choice) => answer.failed(choice.error.json()),
        None => Ok(first),
    }
}

/// One chunk of a stream, or a whole answer. Everything may be missing, and more may be there.
#[derive(Deserialize)]
struct Chunk<'a> {
    #[serde(borrow)]
    error: Field<'a>,
    #[serde(borrow)]
    message: Field<'a>,
    #[serde(borrow)]
    choices: Option<Vec<Object<Choice<'a>>>>,
    #[serde(borrow)]
    usage: Field<'a>,
}

impl Chunk<'_> {
    /// An error under its own name, or a flat one in the place of a chunk.
    fn is_error(&self) -> bool {
        self.error.is_set() || self.choices.is_none() && self.message.word().is_some()
    }
}

#[derive(Deserialize)]
struct Choice<'a> {
    #[serde(borrow)]
    index: Field<'a>,
    #[serde(borrow)]
    delta: Object<Part<'a>>,
    #[serde(borrow)]
    message: Object<Part<'a>>,
    #[serde(borrow)]
    finish_reason: Field<'a>,
    /// Some gateways write it beside what came before.
    #[serde(borrow)]
    error: Field<'a>,
}

#[derive(Default, Deserialize)]
struct Part<'a> {
    #[serde(borrow)]
    content: Field<'a>,
    #[serde(borrow)]
    reasoning_content: Field<'a>,
    #[serde(borrow)]
    reasoning: Field<'a>,
    #[serde(borrow)]
    refusal: Field<'a>,
}

impl Part<'_> {
    fn say(&self, answer: &mut Answer, out: &mut Out) {
        // Some servers write the same under both names.
        let thoughts = [self.reasoning_content, self.reasoning].map(Field::text);
        if let Some(piece) = thoughts.into_iter().flatten().find(|piece| !piece.is_empty()) {
            answer.reason(&piece, out);
        }
        content::say(self.content, answer, out);
        if let Some(piece) = self.refusal.text() {
            answer.refuse(&piece, out);
        }
    }
}

#[derive(Deserialize)]
struct Usage<'a> {
    #[serde(borrow)]
    prompt_tokens: Field<'a>,
    #[serde(borrow)]
    completion_tokens: Field<'a>,
    #[serde(borrow)]
    prompt_tokens_details: Object<Read<'a>>,
    #[serde(borrow)]
    completion_tokens_details: Object<Written<'a>>,
}

#[derive(Default, Deserialize)]
struct Read<'a> {
    #[serde(borrow)]
    cached_tokens: Field<'a>,
}

#[derive(Default, Deserialize)]
struct Written<'a> {
    #[serde(borrow)]
    reasoning_tokens: Field<'a>,
}

impl From<Usage<'_>> for event::Usage {
    fn from(usage: Usage<'_>) -> Self {
        Self {
            input: usage.prompt_tokens.count().unwrap_or_default(),
            output: usage.completion_tokens.count().unwrap_or_default(),
            cached: usage
                .prompt_tokens_details
                .unwrap_or_default()
                .cached_tokens
                .count()
                .unwrap_or_default(),
            reasoning: usage
                .completion_tokens_details
                .unwrap_or_default()
                .reasoning_tokens
                .count()
                .unwrap_or_default(),
            ..Self::default()
        }
    }
}

#[cfg(test)]
mod tests;
