//! The trait of all encoders of a run.

use silcrow_event::{Entry, RunEventRef};

/// Encodes one run for the clients of a protocol.
///
/// [`begin`](Self::begin), [`encode`](Self::encode) for each event, and [`end`](Self::end) write the
/// bytes of a run. They can be sent as they are: each call writes whole messages.
///
/// ```
/// use silcrow_event::{Entry, Event};
/// use silcrow_front::{NativeEncoder, RunEncoder, RunEnd};
///
/// let mut encoder = NativeEncoder::new();
/// let mut out = String::new();
/// let entry = Entry { seq: Some(2), ..Entry::from(Event::respond("Four.")) };
/// encoder.encode(silcrow_event::RunEventRef::Entry(&entry), &mut out);
/// encoder.end(&RunEnd::Answered, &mut out);
/// assert!(out.starts_with("id: 2.0\ndata: {\"type\":\"respond\",\"content\":\"Four.\""));
/// ```
pub trait RunEncoder: Send {
    /// Takes an event that the client already has, such as one of an earlier run of the
    /// conversation.
    fn skip(&mut self, entry: &Entry);

    /// Writes the beginning, before the events.
    fn begin(&mut self, out: &mut String);

    /// Writes an event, if the protocol can express it.
    fn encode(&mut self, event: RunEventRef<'_>, out: &mut String);

    /// Accepts that the pieces after the last stored event are not continued, because the process
    /// that wrote them is gone: another one repeats the text after that event. Open texts and calls
    /// end, or the client reads that it has to forget them.
    ///
    /// Returns whether the encoder is at its beginning again: then everything is to be encoded once
    /// more, and it leaves out the bytes that it has written.
    fn cut(&mut self, out: &mut String) -> bool {
        let _ = out;
        false
    }

    /// Writes the end of the run. It closes everything that is open.
    fn end(&mut self, end: &RunEnd, out: &mut String);
}

/// The end of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "a run is answered, stopped, waits or fails")]
pub enum RunEnd {
    /// The model has answered.
    Answered,
    /// The run was stopped by a person.
    Stopped,
    /// The run waits for answers to the questions that its events have asked.
    Waiting,
    /// The run has failed.
    Failed {
        /// A code that programs can compare.
        code: String,
        /// A description of the error, and the next step.
        message: String,
    },
}
