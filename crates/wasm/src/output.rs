//! What JavaScript reads after a call: records, and the text that they point into.
//!
//! A piece that is a part of the chunk is not copied: its record points into the input, and where the chunk
//! is a string of ASCII JavaScript takes the piece from that.

use silcrow_event::{CallTextFragment, TextFragment, TextKind};
use silcrow_reading::ReadEvent;

/// The text of the last call, and the records that point into it.
#[derive(Debug, Default)]
pub(crate) struct Output {
    pub(crate) text: String,
    records: Vec<u32>,
}

impl Output {
    /// Forgets the last call.
    pub(crate) fn clear(&mut self) {
        self.text.clear();
        self.records.clear();
    }

    /// Adds an event that a reader has made of a chunk. `call` is the call whose last piece JavaScript has
    /// read from it.
    pub(crate) fn push(&mut self, event: &ReadEvent<'_>, chunk: &[u8], call: &mut CallInReading) {
        match event {
            ReadEvent::CallText(piece) if call.continues(piece) => {
                self.piece(CALL_PIECE, piece.call, piece.text, chunk);
            }
            ReadEvent::Text(text @ TextFragment { id: None, .. }) => {
                self.piece(text_kind(text.kind), text.part, text.text, chunk);
            }
            other => self.copy(WHOLE, 0, &other.to_json()),
        }
    }

    /// Returns the number of events.
    pub(crate) const fn events(&self) -> usize {
        self.records.len() / RECORD
    }

    /// Returns the address and the length of the text, and the address of the records.
    pub(crate) fn places(&self) -> [u32; 3] {
        let text = self.text.as_ptr().addr();
        [place(text), place(self.text.len()), place(self.records.as_ptr().addr())]
    }

    fn piece(&mut self, kind: u32, part: u32, text: &str, chunk: &[u8]) {
        match place_in(chunk, text) {
            Some(start) => {
                let (start, end) = (place(start), place(start + text.len()));
                self.records.extend([kind | OF_CHUNK, part, start, end]);
            }
            None => self.copy(kind, part, text),
        }
    }

    fn copy(&mut self, kind: u32, part: u32, text: &str) {
        let start = self.text.len();
        self.text.push_str(text);
        self.records.extend([kind, part, place(start), place(self.text.len())]);
    }
}

/// Returns where a text begins in a chunk, if it is a part of it.
fn place_in(chunk: &[u8], text: &str) -> Option<usize> {
    let start = text.as_ptr().addr().wrapping_sub(chunk.as_ptr().addr());
    let room = chunk.len().checked_sub(start)?;
    (text.len() <= room).then_some(start)
}

/// Returns an address or a length as JavaScript reads it. Both have 32 bits in WebAssembly.
fn place(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

/// The call whose last piece was read, and whether that had a name. Pieces that follow repeat both, so they
/// are text alone.
#[derive(Debug, Default)]
pub(crate) struct CallInReading(Option<(u32, bool)>);

impl CallInReading {
    /// Returns whether a piece says nothing new but its text.
    fn continues(&mut self, piece: &CallTextFragment<'_>) -> bool {
        let this = Some((piece.call, piece.name.is_some()));
        piece.id.is_none() && std::mem::replace(&mut self.0, this) == this
    }
}

/// Returns the number of a kind of text, which `silcrow.js` knows.
fn text_kind(kind: TextKind) -> u32 {
    match kind {
        TextKind::Think => 1,
        TextKind::Respond { last: true } => 2,
        TextKind::Respond { last: false } => 3,
        TextKind::Malformed => 4,
    }
}

/// The kind of a whole event.
const WHOLE: u32 = 0;

/// The kind of a piece of a call.
const CALL_PIECE: u32 = 5;

/// Is a part of the kind of a record that points into the chunk.
const OF_CHUNK: u32 = 8;

/// The numbers of a record.
const RECORD: usize = 4;
