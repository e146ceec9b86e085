//! The native stream: the events as JSON, as `silcrow run --json` prints them.
//!
//! Each message has an id, `SEQ.N`: the position of the last stored event, and the number of the
//! message since then. A stored event has the number 0, so a client that names the last id that it
//! has read gets the later events.

use std::fmt::Write as _;

use silcrow_event::{Entry, RunEventRef};

use crate::encoder::{RunEncoder, RunEnd};
use crate::json_object::JsonObject;
use crate::sse::write_data_with_id;

/// Encodes runs as events in JSON.
///
/// A text comes in pieces that have a `part`, and then as a whole without one.
///
/// ```
/// use silcrow_event::{Entry, Event, RunEventRef};
/// use silcrow_front::{NativeEncoder, RunEncoder as _};
///
/// let mut encoder = NativeEncoder::new();
/// let mut out = String::new();
/// let entry = Entry { seq: Some(1), ..Entry::from(Event::user("2 + 2?")) };
/// encoder.encode(RunEventRef::Entry(&entry), &mut out);
/// assert!(out.starts_with("id: 1.0\ndata: {\"type\":\"user\""), "{out}");
/// assert_eq!(encoder.position(), (1, 0));
/// ```
#[derive(Debug, Default)]
pub struct NativeEncoder {
    seq: u64,
    n: u64,
}

impl NativeEncoder {
    /// Creates an encoder for the beginning of a log.
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates an encoder that continues after the message with this id.
    pub const fn after(seq: u64, n: u64) -> Self {
        Self { seq, n }
    }

    /// Returns the id of the last message.
    pub const fn position(&self) -> (u64, u64) {
        (self.seq, self.n)
    }

    /// Takes an event as [`encode`](RunEncoder::encode) does, and writes nothing. Returns whether the event
    /// has a message; then the [position](Self::position) is its id.
    ///
    /// ```
    /// use silcrow_event::{LogPosition, RunEventRef, TextFragment, TextKind};
    /// use silcrow_front::NativeEncoder;
    ///
    /// let kind = TextKind::Respond { last: true };
    /// let piece = TextFragment { kind, part: 1, id: None, text: "Four" };
    /// let mut encoder = NativeEncoder::after(2, 0);
    /// assert!(encoder.count(RunEventRef::Text(piece, LogPosition::default())));
    /// assert_eq!(encoder.position(), (2, 1));
    /// ```
    pub fn count(&mut self, event: RunEventRef<'_>) -> bool {
        match event {
            RunEventRef::Entry(entry) => self.advance(entry),
            RunEventRef::Text(..) | RunEventRef::CallText(..) => self.n += 1,
            RunEventRef::Call(transition, place) if transition.to_json(&place).is_some() => {
                self.n += 1;
            }
            _ => return false,
        }
        true
    }

    fn write(&self, json: &str, out: &mut String) {
        write_data_with_id(out, (self.seq, self.n), |out| out.push_str(json));
    }

    /// Takes the position of an entry of the run's own log.
    fn advance(&mut self, entry: &Entry) {
        let stored = entry.seq.filter(|_| entry.event.is_stored() && entry.agent_path.is_none());
        match stored {
            Some(seq) if seq > self.seq => (self.seq, self.n) = (seq, 0),
            _ => self.n += 1,
        }
    }
}

impl RunEncoder for NativeEncoder {
    fn skip(&mut self, entry: &Entry) {
        self.advance(entry);
    }

    fn begin(&mut self, _out: &mut String) {}

    fn encode(&mut self, event: RunEventRef<'_>, out: &mut String) {
        if !self.count(event) {
            return;
        }
        let position = (self.seq, self.n);
        match event {
            RunEventRef::Entry(entry) => self.write(&entry.to_json(), out),
            RunEventRef::Text(text, place) => {
                write_data_with_id(out, position, |out| text.write_json(&place, out));
            }
            RunEventRef::CallText(text, place) => {
                write_data_with_id(out, position, |out| text.write_json(&place, out));
            }
            RunEventRef::Call(transition, place) => {
                self.write(&transition.to_json(&place).unwrap_or_default(), out);
            }
            _ => {}
        }
    }

    fn cut(&mut self, out: &mut String) -> bool {
        if self.n > 0 {
            self.n = 0;
            let seq = self.seq;
            let json = format!("{{\"type\":\"reset\",\"seq\":{seq}}}");
            let _ = write!(out, "id: {seq}.0\nevent: reset\ndata: {json}\n\n");
        }
        false
    }

    fn end(&mut self, end: &RunEnd, out: &mut String) {
        self.n += 1;
        let outcome = match end {
            RunEnd::Answered => "answered",
            RunEnd::Stopped => "stopped",
            RunEnd::Waiting => "waiting",
            RunEnd::Failed { .. } => "failed",
        };
        let mut json = JsonObject::new().text("type", "idle").text("outcome", outcome);
        if let RunEnd::Failed { code, message } = end {
            json = json.text("code", code).text("content", message);
        }
        self.write(&json.finish(), out);
    }
}
