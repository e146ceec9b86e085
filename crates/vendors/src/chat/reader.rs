use std::borrow::Cow;
use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::value::RawValue;
use silcrow_event as event;
use silcrow_provider::sse::Decoder;
use silcrow_provider::{Delta, Error, Finish};

use super::text::{Joiner, Piece};
use crate::error::{Cause, Peer};

/// Deltas that wait to be taken.
pub(crate) type Out = VecDeque<Result<Delta, Error>>;

/// An answer's body, from bytes to deltas, without I/O: the last place that knows the vendor.
///
/// What it puts out ends with [`Delta::Done`] or an error, once, and nothing after. The answer is
/// whole when its finish reason came: neither `[DONE]` nor the end of the body proves it.
pub(crate) struct Reader {
    decoder: Decoder,
    answer: Answer,
}

impl Reader {
    pub(crate) fn new(peer: Arc<Peer>) -> Self {
        Self { decoder: Decoder::new(), answer: Answer::new(peer) }
    }

    /// Takes in the next bytes; gives nothing back once the answer is over, for a server may hold
    /// the body open after its last word.
    pub(crate) fn push(mut self, bytes: &[u8], out: &mut Out) -> Option<Self> {
        let answer = &mut self.answer;
        let mut end = None;
        let pushed = self.decoder.push(bytes, &mut |event| {
            if end.is_some() {
                return;
            }
            match answer.event(event.event, event.data, out) {
                Ok(ControlFlow::Continue(())) => {}
                Ok(ControlFlow::Break(())) => end = Some(Ok(())),
                Err(error) => end = Some(Err(error)),
            }
        });
        let too_long = || pushed.err().map(|why| Err(self.answer.peer.malformed(&why.to_string())));
        match end.or_else(too_long) {
            None => return Some(self),
            Some(Ok(())) => self.answer.close(None, out),
            Some(Err(error)) => out.push_back(Err(error)),
        }
        None
    }

    /// Whether the finish reason came: what may follow is the usage.
    pub(crate) const fn is_finished(&self) -> bool {
        self.answer.finish.is_some()
    }

    /// The body ended, or broke off by `cause`.
    ///
    /// A last event without its blank line counts if it is whole.
    pub(crate) fn end(mut self, cause: Option<Cause>, out: &mut Out) {
        if let Ok(Some(pending)) = self.decoder.finish()
            && (pending.event == "error" || is_whole(&pending.data))
            && let Err(error) = self.answer.event(&pending.event, &pending.data, out)
        {
            out.push_back(Err(error));
            return;
        }
        self.answer.close(cause, out);
    }
}

/// Reads an answer that came as one JSON text, not as a stream of events. `cause` is what broke
/// the body off, if something did.
pub(crate) fn whole(peer: Arc<Peer>, body: &str, cause: Option<Cause>, out: &mut Out) {
    let mut answer = Answer { whole: true, ..Answer::new(peer) };
    match answer.chunk(body, out) {
        Ok(()) => answer.close(cause, out),
        Err(Broken::Json(error)) if error.is_eof() => answer.close(cause, out),
        Err(Broken::Json(error)) => out.push_back(Err(answer.peer.no_json(body, &error))),
        Err(Broken::Failed(error)) => out.push_back(Err(error)),
    }
}

fn is_whole(data: &str) -> bool {
    data.trim() == DONE || serde_json::from_str::<&RawValue>(data).is_ok()
}

/// What the server has said so far.
struct Answer {
    peer: Arc<Peer>,
    /// The text is in `message`, not in `delta`.
    whole: bool,
    text: Joiner,
    reasoning: Joiner,
    refused: bool,
    /// The last report counts.
    usage: Option<event::Usage>,
    finish: Option<Finish>,
}

/// Why a chunk gives nothing.
enum Broken {
    Json(serde_json::Error),
    Failed(Error),
}

impl Answer {
    fn new(peer: Arc<Peer>) -> Self {
        Self {
            peer,
            whole: false,
            text: Joiner::default(),
            reasoning: Joiner::default(),
            refused: false,
            usage: None,
            finish: None,
        }
    }

    /// Takes in an event; breaks at `[DONE]`.
    fn event(&mut self, name: &str, data: &str, out: &mut Out) -> Result<ControlFlow<()>, Error> {
        let data = data.trim();
        if data == DONE {
            return Ok(ControlFlow::Break(()));
        }
        if name == "error" {
            return Err(self.peer.in_band(data));
        }
        if data.is_empty() || name == "ping" {
            return Ok(ControlFlow::Continue(()));
        }
        self.chunk(data, out).map_err(|broken| match broken {
            Broken::Json(error) => self.peer.no_json(data, &error),
            Broken::Failed(error) => error,
        })?;
        Ok(ControlFlow::Continue(()))
    }

    fn chunk(&mut self, data: &str, out: &mut Out) -> Result<(), Broken> {
        let chunk: Chunk<'_> = serde_json::from_str(data).map_err(Broken::Json)?;
        if chunk.is_error() {
            return Err(Broken::Failed(self.peer.in_band(data)));
        }
        // A report in another shape costs the figures, not the answer.
        let usage = chunk.usage.and_then(|usage| serde_json::from_str(usage.get()).ok());
        self.usage = usage.map(Usage::into).or(self.usage);
        for choice in chunk.choices.unwrap_or_default() {
            if choice.index.is_none_or(|index| index == 0) {
                self.choice(choice, out);
            }
        }
        Ok(())
    }

    fn choice(&mut self, choice: Choice<'_>, out: &mut Out) {
        let part = if self.whole { choice.message } else { choice.delta }.unwrap_or_default();
        if let Some(piece) = part.reasoning_content.or(part.reasoning) {
            send(self.reasoning.push(&piece), Delta::Reasoning, out);
        }
        if let Some(piece) = part.content {
            send(self.text.push(&piece), Delta::Text, out);
        }
        if let Some(piece) = part.refusal {
            self.refused = true;
            send(self.text.push(&piece), Delta::Text, out);
        }
        if let Some(reason) = choice.finish_reason.filter(|reason| !reason.is_empty()) {
            self.finish = Some(match &*reason {
                "stop" if self.refused => Finish::Filter,
                "stop" => Finish::Stop,
                "length" => Finish::Length,
                "content_filter" => Finish::Filter,
                other => Finish::Other(other.to_owned()),
            });
        }
    }

    fn close(mut self, cause: Option<Cause>, out: &mut Out) {
        let Some(finish) = self.finish else {
            out.push_back(Err(self.peer.cut(cause)));
            return;
        };
        send(self.reasoning.finish().to_owned(), Delta::Reasoning, out);
        send(self.text.finish().to_owned(), Delta::Text, out);
        out.extend(self.usage.map(|usage| Ok(Delta::Usage(usage))));
        out.push_back(Ok(Delta::Done(finish)));
    }
}

fn send(text: String, delta: impl Fn(String) -> Delta, out: &mut Out) {
    if !text.is_empty() {
        out.push_back(Ok(delta(text)));
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
    prompt_tokens_details: Option<Details>,
}

#[derive(Deserialize)]
struct Details {
    cached_tokens: Option<u64>,
}

impl From<Usage> for event::Usage {
    fn from(usage: Usage) -> Self {
        Self {
            input: usage.prompt_tokens.unwrap_or_default(),
            output: usage.completion_tokens.unwrap_or_default(),
            cached: usage.prompt_tokens_details.and_then(|of| of.cached_tokens).unwrap_or_default(),
            duration: 0.0,
        }
    }
}

const DONE: &str = "[DONE]";

#[cfg(test)]
mod tests;
