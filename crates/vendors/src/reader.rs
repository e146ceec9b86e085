use std::ops::ControlFlow;
use std::sync::Arc;

use serde_json::value::RawValue;
use silcrow_event as event;
use silcrow_provider::Error;
use silcrow_provider::sse::SseDecoder;

use crate::answer::{Answer, Api, Broken, Out};
use crate::error::{Cause, Peer};

/// An answer's body, from bytes to deltas, without I/O.
///
/// What it puts out ends with `Delta::Done` or an error, once, and nothing after.
pub(crate) struct Reader {
    decoder: SseDecoder,
    api: Box<dyn Api>,
    answer: Answer,
}

impl Reader {
    pub(crate) fn new(peer: Arc<Peer>, api: Box<dyn Api>) -> Self {
        let answer = Answer::with_reasoning(peer, api.inline_reasoning());
        Self { decoder: SseDecoder::new(), api, answer }
    }

    /// Takes in the next bytes; gives nothing back once the answer is over, for a server may hold
    /// the body open after its last word.
    pub(crate) fn push(mut self, bytes: &[u8], out: &mut Out) -> Option<Self> {
        let Self { decoder, api, answer } = &mut self;
        let mut end = None;
        let pushed = decoder.push(bytes, &mut |read| {
            if end.is_some() {
                return;
            }
            match event(&mut **api, answer, read.event, read.data, out) {
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
        self.answer.is_finished()
    }

    /// Returns what is known of the usage before the answer is over: what was read. A count of
    /// what was written does not say which of the pieces it covers.
    pub(crate) fn early_usage(&self) -> event::Usage {
        let usage = self.answer.usage.unwrap_or_default();
        event::Usage { output: 0, reasoning: 0, ..usage }
    }

    /// The body ended, or broke off by `cause`.
    ///
    /// A last event without its blank line counts if it is whole, and so does bare JSON between
    /// the events: some servers write their last error so.
    pub(crate) fn end(self, cause: Option<Cause>, out: &mut Out) {
        let Self { decoder, mut api, mut answer } = self;
        let stray = decoder.stray();
        if let Ok(Some(last)) = decoder.finish()
            && (last.event == "error" || is_whole(&last.data))
            && let Err(error) = event(&mut *api, &mut answer, &last.event, &last.data, out)
        {
            out.push_back(Err(error));
        } else if !answer.is_finished() && is_json(&stray) {
            out.push_back(Err(answer.peer.in_band(&stray)));
        } else {
            answer.close(cause, out);
        }
    }
}

/// Reads an answer that came as one JSON text, not as a stream of events. `cause` is what broke
/// the body off, if something did.
pub(crate) fn whole(
    peer: Arc<Peer>,
    mut api: Box<dyn Api>,
    body: &str,
    cause: Option<Cause>,
    out: &mut Out,
) {
    let mut answer = Answer::with_reasoning(peer, api.inline_reasoning());
    match api.whole(body, &mut answer, out) {
        Ok(()) => answer.close(cause, out),
        Err(Broken::Json(error)) if error.is_eof() => answer.close(cause, out),
        Err(Broken::Json(error)) => out.push_back(Err(answer.peer.no_event(body, &error))),
        Err(Broken::Failed(error)) => out.push_back(Err(error)),
    }
}

fn event(
    api: &mut dyn Api,
    answer: &mut Answer,
    name: &str,
    data: &str,
    out: &mut Out,
) -> Result<ControlFlow<()>, Error> {
    let data = data.trim();
    if data == DONE {
        api.done(answer);
        return Ok(ControlFlow::Break(()));
    }
    if name == "error" {
        return Err(answer.peer.in_band(data));
    }
    if data.is_empty() || name == "ping" {
        return Ok(ControlFlow::Continue(()));
    }
    api.event(data, answer, out).map_err(|broken| match broken {
        Broken::Json(error) => answer.peer.no_event(data, &error),
        Broken::Failed(error) => error,
    })
}

fn is_whole(data: &str) -> bool {
    data.trim() == DONE || is_json(data)
}

fn is_json(text: &str) -> bool {
    serde_json::from_str::<&RawValue>(text).is_ok()
}

/// The end mark of Chat Completions, which gateways put behind the events of other APIs, too.
const DONE: &str = "[DONE]";

#[cfg(test)]
pub(crate) mod tests;
