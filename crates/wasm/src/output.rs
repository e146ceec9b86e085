//! The output that JavaScript reads after a call: records, and the text that they point into.
//!
//! A piece that is a part of the chunk is not copied: its record points into the input, and if the
//! chunk is a string of ASCII, JavaScript takes the piece from that.

use silcrow_event::{Call, CallTextFragment, Event, TextFragment, TextKind};
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
    pub(crate) fn write(&mut self, event: &ReadEvent<'_>, chunk: &[u8], call: &mut CallInReading) {
        match event {
            ReadEvent::CallText(piece) => self.call_piece(piece, chunk, call),
            ReadEvent::Text(text @ TextFragment { id: None, .. }) => {
                self.piece(text_kind(text.kind), text.part, text.text, chunk);
            }
            ReadEvent::Whole(Event::Call(call)) if is_plain(call) => {
                self.two(CALL, 0, call.id(), call.content());
            }
            ReadEvent::Whole(Event::Execute) => self.two(EXECUTE, 0, "", ""),
            other => self.two(WHOLE, 0, "", &other.to_json()),
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

    /// Adds a piece of a call. Data of the call that JavaScript already has is not repeated.
    fn call_piece(&mut self, piece: &CallTextFragment<'_>, chunk: &[u8], call: &mut CallInReading) {
        match (piece.id, piece.name, call.continues(piece)) {
            (None, _, true) => self.piece(CALL_PIECE, piece.call, piece.text, chunk),
            (Some(id), _, true) => self.two(LAST_PIECE, piece.call, id, piece.text),
            (None, Some(name), false) => self.two(NAMED_PIECE, piece.call, name, piece.text),
            _ => self.two(WHOLE, 0, "", &ReadEvent::CallText(*piece).to_json()),
        }
    }

    fn piece(&mut self, kind: u32, number: u32, text: &str, chunk: &[u8]) {
        match place_in(chunk, text) {
            Some(start) => {
                let (start, end) = (place(start), place(start + text.len()));
                self.records.extend([kind | OF_CHUNK, number, start, start, end]);
            }
            None => self.two(kind, number, "", text),
        }
    }

    /// Adds a record of two texts.
    fn two(&mut self, kind: u32, number: u32, first: &str, second: &str) {
        let start = place(self.text.len());
        self.text.push_str(first);
        let middle = place(self.text.len());
        self.text.push_str(second);
        self.records.extend([kind, number, start, middle, place(self.text.len())]);
    }
}

/// Returns whether a call has an id and a content only.
fn is_plain(call: &Call) -> bool {
    call.action().is_none() && call.opaque().is_none() && !call.is_instance()
}

/// Returns the beginning of a text in a chunk, if it is a part of it.
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
    /// Returns whether the piece before was of the same call, and had a name if this one has.
    fn continues(&mut self, piece: &CallTextFragment<'_>) -> bool {
        let this = Some((piece.call, piece.name.is_some()));
        std::mem::replace(&mut self.0, this) == this
    }
}

/// Returns the number of a kind of text, as in `silcrow.js`.
fn text_kind(kind: TextKind) -> u32 {
    match kind {
        TextKind::Think => 1,
        TextKind::Respond { last: true } => 2,
        TextKind::Respond { last: false } => 3,
        TextKind::Malformed => 4,
    }
}

/// The kind of an event of any other kind, whose second text is its JSON.
const WHOLE: u32 = 0;

/// The kind of a piece of a call.
const CALL_PIECE: u32 = 5;

/// The kind of a piece of a call whose first text is the call's name.
const NAMED_PIECE: u32 = 6;

/// The kind of the last piece of a call, whose first text is the call's id.
const LAST_PIECE: u32 = 7;

/// The kind of a call: its id and its content.
const CALL: u32 = 8;

/// The kind of an execution point.
const EXECUTE: u32 = 9;

/// Is a part of the kind of a record that points into the chunk.
const OF_CHUNK: u32 = 16;

/// The numbers of a record: its kind, the number of the text or of the call, and the beginnings and
/// ends of its two texts.
const RECORD: usize = 5;
