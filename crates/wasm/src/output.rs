//! What JavaScript reads after a call: records, and the text that they point into.

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

    /// Adds an event of a reader. `call` is the call whose last piece JavaScript has read from it.
    pub(crate) fn push(&mut self, event: &ReadEvent<'_>, call: &mut CallInReading) {
        let start = self.text.len();
        let (kind, part) = match event {
            ReadEvent::CallText(piece) if call.continues(piece) => {
                self.text.push_str(piece.text);
                (CALL_PIECE, piece.call)
            }
            ReadEvent::Text(text @ TextFragment { id: None, .. }) => {
                self.text.push_str(text.text);
                (text_kind(text.kind), text.part)
            }
            other => {
                self.text.push_str(&other.to_json());
                (WHOLE, 0)
            }
        };
        let place = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        self.records.extend([kind, part, place(start), place(self.text.len())]);
    }

    /// Returns the address of the records, and how many there are.
    pub(crate) fn records(&self) -> (usize, usize) {
        (self.records.as_ptr().addr(), self.records.len() / RECORD)
    }
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

/// The numbers of a record.
const RECORD: usize = 4;
