//! The latest messages of a run, for readers that come later.
//!
//! Most messages are pieces of a text. Pieces that follow each other share a block, so that a long
//! answer takes little more than its own size.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use silcrow_event::{LogPosition, RunEvent, RunEventRef, TextFragment, TextPiece};
use silcrow_front::RunEnd;

use super::{LiveMessage, RunOutput};
use crate::position::MessagePosition;

/// The latest messages of a run, up to a size.
pub(super) struct MessageRing {
    /// The position before the first message.
    floor: MessagePosition,
    items: VecDeque<RingItem>,
    bytes: usize,
}

/// The messages of a ring, in order.
pub(crate) struct RingReader {
    items: VecDeque<RingItem>,
    /// The number of pieces of the first block that were read.
    read: usize,
}

#[derive(Clone)]
enum RingItem {
    Message(Arc<LiveMessage>),
    Text(Arc<TextBlock>),
}

/// Pieces of one text that follow each other.
struct TextBlock {
    /// The position of the first piece.
    first: MessagePosition,
    /// The first piece, with the text of all.
    piece: TextPiece,
    marks: Vec<PieceMark>,
}

struct PieceMark {
    /// The end of the piece in the text of the block.
    end: u16,
    /// The nanoseconds since the first piece.
    nanos: u32,
}

impl MessageRing {
    /// Creates a ring whose first message follows this position.
    pub(super) const fn new(floor: MessagePosition) -> Self {
        Self { floor, items: VecDeque::new(), bytes: 0 }
    }

    /// Returns the position before the first message.
    pub(super) const fn floor(&self) -> MessagePosition {
        self.floor
    }

    /// Returns the end of the run, if that is the last message.
    pub(super) fn end(&self) -> Option<&RunEnd> {
        match self.items.back()? {
            RingItem::Message(message) => match &message.output {
                RunOutput::End(end) => Some(end),
                RunOutput::Event(_) => None,
            },
            RingItem::Text(_) => None,
        }
    }

    /// Keeps a message, and drops the oldest ones until the rest fits. The ring begins after a stored
    /// event again, so that nobody reads a text from its middle.
    pub(super) fn push(&mut self, message: &Arc<LiveMessage>, most: usize) {
        if message.position <= self.floor && !message.is_end() {
            // The rest of a text whose beginning is gone.
            return;
        }
        self.add(message);
        if self.bytes <= most {
            return;
        }
        while self.bytes > most && self.drop_first() {}
        while self.floor.1 > 0 && self.drop_first() {}
        if self.floor.1 > 0 {
            self.floor.1 = u64::MAX;
        }
    }

    /// Drops the messages up to a stored event.
    pub(super) fn drop_stored(&mut self, seq: u64) {
        while self.items.front().is_some_and(|first| first.last() <= (seq, 0)) && self.drop_first()
        {
        }
    }

    /// Returns a copy.
    pub(super) fn read(&self) -> RingReader {
        RingReader { items: self.items.clone(), read: 0 }
    }

    fn add(&mut self, message: &Arc<LiveMessage>) {
        if let RunOutput::Event(RunEvent::Text(piece)) = &message.output {
            // A block that somebody reads does not change any more.
            if let Some(RingItem::Text(block)) = self.items.back_mut()
                && let Some(block) = Arc::get_mut(block)
            {
                let before = block.size();
                if block.push(message.position, piece) {
                    self.bytes += block.size() - before;
                    return;
                }
            }
            if let Some(block) = TextBlock::new(message.position, piece) {
                self.bytes += block.size();
                self.items.push_back(RingItem::Text(Arc::new(block)));
                return;
            }
        }
        self.bytes += message.size();
        self.items.push_back(RingItem::Message(Arc::clone(message)));
    }

    /// Drops the first message or block. The end of a run is always kept, because nothing else says
    /// that the run is over.
    fn drop_first(&mut self) -> bool {
        let first = self.items.pop_front_if(|first| !first.is_end());
        if let Some(first) = &first {
            self.bytes -= first.size();
            self.floor = first.last();
        }
        first.is_some()
    }
}

impl RingReader {
    /// Returns the position of the last message.
    pub(crate) fn last_position(&self) -> Option<MessagePosition> {
        self.items.back().map(RingItem::last)
    }

    /// Leaves out blocks and messages before a position, but not the end of the run.
    pub(crate) fn skip_before(&mut self, position: MessagePosition) {
        let is_before = |first: &mut RingItem| first.last() < position && !first.is_end();
        while self.items.pop_front_if(is_before).is_some() {}
    }
}

impl Iterator for RingReader {
    type Item = Arc<LiveMessage>;

    fn next(&mut self) -> Option<Arc<LiveMessage>> {
        loop {
            if let RingItem::Text(block) = self.items.front()?
                && let Some(message) = block.message(self.read)
            {
                self.read += 1;
                return Some(Arc::new(message));
            }
            self.read = 0;
            if let RingItem::Message(message) = self.items.pop_front()? {
                return Some(message);
            }
        }
    }
}

impl RingItem {
    /// Returns the position of the last message.
    fn last(&self) -> MessagePosition {
        match self {
            Self::Message(message) => message.position,
            Self::Text(block) => block.position(block.marks.len() - 1),
        }
    }

    fn is_end(&self) -> bool {
        matches!(self, Self::Message(message) if message.is_end())
    }

    fn size(&self) -> usize {
        match self {
            Self::Message(message) => message.size(),
            Self::Text(block) => block.size(),
        }
    }
}

impl TextBlock {
    /// Begins a block, unless the piece is too long for one or has no time.
    fn new(first: MessagePosition, piece: &TextPiece) -> Option<Self> {
        let mut block = Self { first, piece: piece.clone(), marks: Vec::new() };
        block.piece.text.clear();
        block.push(first, piece).then_some(block)
    }

    /// Adds a piece, if it is the next one of the same text and fits.
    fn push(&mut self, position: MessagePosition, piece: &TextPiece) -> bool {
        let of =
            |piece: &TextPiece| (piece.kind, piece.part, piece.position.turn, piece.position.seq);
        let is_next = position == self.position(self.marks.len())
            && of(piece) == of(&self.piece)
            && piece.id == self.piece.id;
        let Some(mark) = self.mark(piece).filter(|_| is_next) else { return false };
        self.piece.text.push_str(&piece.text);
        self.marks.push(mark);
        true
    }

    fn mark(&self, piece: &TextPiece) -> Option<PieceMark> {
        let end = self.piece.text.len() + piece.text.len();
        let began = self.piece.position.timestamp?.as_nanos();
        let nanos = piece.position.timestamp?.as_nanos().checked_sub(began)?;
        let end = u16::try_from(end).ok().filter(|end| *end <= BLOCK)?;
        Some(PieceMark { end, nanos: u32::try_from(nanos).ok()? })
    }

    /// Returns the message of a piece, counted from 0.
    fn message(&self, index: usize) -> Option<LiveMessage> {
        let PieceMark { end, nanos } = self.marks.get(index)?;
        let begin = index.checked_sub(1).map_or(0, |before| self.marks[before].end);
        let text = self.piece.text.get(begin.into()..(*end).into())?;
        let began = self.piece.position.timestamp?;
        let timestamp = Some(began.saturating_add(Duration::from_nanos((*nanos).into())));
        let position = LogPosition { timestamp, ..self.piece.position };
        let fragment = TextFragment { text, ..self.piece.fragment() };
        let event = RunEventRef::Text(fragment, position).to_owned();
        Some(LiveMessage::of_text(self.position(index), event))
    }

    /// Returns the position of a piece, counted from 0.
    fn position(&self, index: usize) -> MessagePosition {
        (self.first.0, self.first.1 + index as u64)
    }

    /// Returns an estimate of the memory that it takes.
    fn size(&self) -> usize {
        let marks = self.marks.capacity() * size_of::<PieceMark>();
        size_of::<Self>() + self.piece.text.capacity() + marks
    }
}

/// The most bytes of text in a block. A ring is dropped by blocks, and what is copied when a text
/// grows is at most this.
const BLOCK: u16 = 4_096;

#[cfg(test)]
mod tests;
