//! The events of a reader, and their JSON.

use silcrow_event::{CallTextFragment, Event, LogPosition, TextFragment};

/// A piece of a text or of a call, or a whole event.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReadEvent<'a> {
    /// A piece of a thought, of an answer, or of the text of a malformed call.
    Text(TextFragment<'a>),
    /// A piece of a call that is being written.
    CallText(CallTextFragment<'a>),
    /// A whole event.
    Whole(Event),
}

impl ReadEvent<'_> {
    /// Returns the event as a JSON object on one line. Pieces of text have a `part`.
    pub fn to_json(&self) -> String {
        match self {
            Self::Text(text) => text.to_json(&LogPosition::default()),
            Self::CallText(text) => text.to_json(&LogPosition::default()),
            Self::Whole(event) => event.to_json(),
        }
    }
}
