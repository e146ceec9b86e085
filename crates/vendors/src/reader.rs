//! The translation of an answer's body from bytes to deltas, without I/O.
//!
//! This module reads event streams and their ends. The [`EventReader`] of an API interprets the
//! events.

use std::ops::ControlFlow;
use std::sync::Arc;

use serde_json::value::RawValue;
use silcrow_event as event;
use silcrow_provider::Error;
use silcrow_provider::sse::SseDecoder;

use crate::answer::{AnswerBuilder, DeltaQueue, EventError, EventReader};
use crate::error::{ErrorCause, Peer};

/// Turns the bytes of a body into deltas.
///
/// The deltas end with one `Delta::Done` or one error.
pub(crate) struct AnswerReader {
    decoder: SseDecoder,
    reader: Box<dyn EventReader>,
    answer: AnswerBuilder,
}

impl AnswerReader {
    pub(crate) fn new(peer: Arc<Peer>, reader: Box<dyn EventReader>) -> Self {
        let answer = AnswerBuilder::with_reasoning(peer, reader.inline_reasoning());
        Self { decoder: SseDecoder::new(), reader, answer }
    }

    /// Takes the next bytes. Returns `None` once the answer is over, which may be before the end of
    /// the body.
    pub(crate) fn push(mut self, bytes: &[u8], out: &mut DeltaQueue) -> Option<Self> {
        let Self { decoder, reader, answer } = &mut self;
        let mut end = None;
        let pushed = decoder.push(bytes, &mut |read| {
            if end.is_some() {
                return;
            }
            match event(&mut **reader, answer, read.event, read.data, out) {
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

    /// Returns whether the finish reason has arrived, so that only usage may follow.
    pub(crate) const fn is_finished(&self) -> bool {
        self.answer.is_finished()
    }

    /// Returns the usage that is known before the answer is over, without the output, because a
    /// count of it does not say which deltas it covers.
    pub(crate) fn early_usage(&self) -> event::Usage {
        let usage = self.answer.usage.unwrap_or_default();
        event::Usage { output: 0, reasoning: 0, ..usage }
    }

    /// Ends the answer after its body ended or broke off because of `cause`.
    ///
    /// A last event without its blank line counts if it is complete. So does bare JSON between
    /// events, because some servers write their last error like that.
    pub(crate) fn end(self, cause: Option<ErrorCause>, out: &mut DeltaQueue) {
        let Self { decoder, mut reader, mut answer } = self;
        let stray = decoder.stray();
        if let Ok(Some(last)) = decoder.finish()
            && (last.event == "error" || is_whole(&last.data))
            && let Err(error) = event(&mut *reader, &mut answer, &last.event, &last.data, out)
        {
            out.push_back(Err(error));
        } else if !answer.is_finished() && is_json(&stray) {
            out.push_back(Err(answer.peer.in_band(&stray)));
        } else {
            answer.close(cause, out);
        }
    }
}

/// Reads an answer that arrived as one JSON text instead of a stream of events. `cause` is the
/// error with which the body broke off, if it did.
pub(crate) fn whole(
    peer: Arc<Peer>,
    mut reader: Box<dyn EventReader>,
    body: &str,
    cause: Option<ErrorCause>,
    out: &mut DeltaQueue,
) {
    let mut answer = AnswerBuilder::with_reasoning(peer, reader.inline_reasoning());
    match reader.whole(body, &mut answer, out) {
        Ok(()) => answer.close(cause, out),
        Err(EventError::Json(error)) if error.is_eof() => answer.close(cause, out),
        Err(EventError::Json(error)) => out.push_back(Err(answer.peer.no_event(body, &error))),
        Err(EventError::Failed(error)) => out.push_back(Err(error)),
    }
}

fn event(
    reader: &mut dyn EventReader,
    answer: &mut AnswerBuilder,
    name: &str,
    data: &str,
    out: &mut DeltaQueue,
) -> Result<ControlFlow<()>, Error> {
    let data = data.trim();
    if data == DONE {
        reader.done(answer);
        return Ok(ControlFlow::Break(()));
    }
    if name == "error" {
        return Err(answer.peer.in_band(data));
    }
    if data.is_empty() || name == "ping" {
        return Ok(ControlFlow::Continue(()));
    }
    reader.event(data, answer, out).map_err(|broken| match broken {
        EventError::Json(error) => answer.peer.no_event(data, &error),
        EventError::Failed(error) => error,
    })
}

fn is_whole(data: &str) -> bool {
    data.trim() == DONE || is_json(data)
}

fn is_json(text: &str) -> bool {
    serde_json::from_str::<&RawValue>(text).is_ok()
}

/// The end mark of Chat Completions. Gateways also write it after the events of other APIs.
const DONE: &str = "[DONE]";

#[cfg(test)]
pub(crate) mod tests;
