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
    /// A message, and an estimate of the memory that it takes.
    Message(Arc<LiveMessage>, usize),
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

/// The end of a piece in the text of its block, and the nanoseconds since the first piece. Bytes leave
/// no gap between the two numbers.
struct PieceMark {
    end: [u8; 2],
    nanos: [u8; 4],
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
            RingItem::Message(message, _) => match &message.output {
                RunOutput::End(end) => Some(end),
                RunOutput::Event(_) => None,
            },
            RingItem::Text(_) => None,
        }
    }

    /// Keeps a message, and drops the oldest ones until the rest fits.
    pub(super) fn push(&mut self, message: &Arc<LiveMessage>, most: usize) {
        if self.takes(message.position) || message.is_end() {
            let size = message.size();
            self.bytes += size;
            self.items.push_back(RingItem::Message(Arc::clone(message), size));
            self.fit(most);
        }
    }

    /// Keeps a piece of a text like [`push`](Self::push). Returns `false` if it has to be pushed as a
    /// message.
    pub(super) fn push_text(
        &mut self,
        position: MessagePosition,
        text: TextFragment<'_>,
        place: LogPosition,
        most: usize,
    ) -> bool {
        if !self.takes(position) {
            return true;
        }
        let is_kept = self.add_to_last(position, text, place) || self.begin(position, text, place);
        if is_kept {
            self.fit(most);
        }
        is_kept
    }

    /// Returns whether a message is not the rest of a text whose beginning is gone.
    fn takes(&self, position: MessagePosition) -> bool {
        position > self.floor
    }

    /// Drops the oldest messages until the rest fits. The ring then begins after a stored event, so
    /// that no reader starts in the middle of a text.
    fn fit(&mut self, most: usize) {
        if self.bytes <= most {
            return;
        }
        while self.bytes > most && self.drop_first() {}
        while self.floor.1 > 0 && self.drop_first() {}
        if self.floor.1 > 0 {
            self.floor.1 = u64::MAX;
        }
    }

    fn add_to_last(
        &mut self,
        position: MessagePosition,
        text: TextFragment<'_>,
        place: LogPosition,
    ) -> bool {
        // A block with readers does not change any more.
        let Some(RingItem::Text(block)) = self.items.back_mut() else { return false };
        let Some(block) = Arc::get_mut(block) else { return false };
        let before = block.size();
        let is_added = block.try_push(position, text, place);
        self.bytes += block.size() - before;
        is_added
    }

    fn begin(
        &mut self,
        position: MessagePosition,
        text: TextFragment<'_>,
        place: LogPosition,
    ) -> bool {
        let Some(block) = TextBlock::new(position, text, place) else { return false };
        self.bytes += block.size();
        self.items.push_back(RingItem::Text(Arc::new(block)));
        true
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
            if let RingItem::Message(message, _) = self.items.pop_front()? {
                return Some(message);
            }
        }
    }
}

impl RingItem {
    /// Returns the position of the last message.
    fn last(&self) -> MessagePosition {
        match self {
            Self::Message(message, _) => message.position,
            Self::Text(block) => block.position(block.marks.len() - 1),
        }
    }

    fn is_end(&self) -> bool {
        matches!(self, Self::Message(message, _) if message.is_end())
    }

    fn size(&self) -> usize {
        match self {
            Self::Message(_, size) => *size,
            Self::Text(block) => block.size(),
        }
    }
}

impl TextBlock {
    /// Begins a block, unless the piece is too long for one or has no time.
    fn new(first: MessagePosition, text: TextFragment<'_>, place: LogPosition) -> Option<Self> {
        let TextFragment { kind, part, id, .. } = text;
        let empty = TextFragment { kind, part, id, text: "" };
        let RunEvent::Text(piece) = RunEventRef::Text(empty, place).to_owned() else { return None };
        let mut block = Self { first, piece, marks: Vec::new() };
        block.try_push(first, text, place).then_some(block)
    }

    /// Adds a piece, if it is the next one of the same text and fits.
    fn try_push(
        &mut self,
        position: MessagePosition,
        text: TextFragment<'_>,
        place: LogPosition,
    ) -> bool {
        let own = &self.piece;
        let is_next = position == self.position(self.marks.len())
            && (text.kind, text.part, text.id) == (own.kind, own.part, own.id.as_deref())
            && (place.turn, place.seq) == (own.position.turn, own.position.seq);
        let mark = self.mark(text.text, place).filter(|_| is_next);
        let Some(mark) = mark else { return false };
        if self.piece.text.capacity() - self.piece.text.len() < text.text.len() {
            self.piece.text.reserve_exact(text.text.len().max(MORE_TEXT));
        }
        if self.marks.capacity() == self.marks.len() {
            self.marks.reserve_exact(MORE_MARKS);
        }
        self.piece.text.push_str(text.text);
        self.marks.push(mark);
        true
    }

    fn mark(&self, text: &str, place: LogPosition) -> Option<PieceMark> {
        let end = self.piece.text.len() + text.len();
        let began = self.piece.position.timestamp?.as_nanos();
        let nanos = place.timestamp?.as_nanos().checked_sub(began)?;
        let end = u16::try_from(end).ok().filter(|end| *end <= BLOCK)?;
        let nanos = u32::try_from(nanos).ok()?;
        Some(PieceMark { end: end.to_ne_bytes(), nanos: nanos.to_ne_bytes() })
    }

    /// Returns the message of a piece, counted from 0.
    fn message(&self, index: usize) -> Option<LiveMessage> {
        let mark = self.marks.get(index)?;
        let begin = index.checked_sub(1).map_or(0, |before| self.marks[before].end());
        let text = self.piece.text.get(begin..mark.end())?;
        let began = self.piece.position.timestamp?;
        let since = Duration::from_nanos(u32::from_ne_bytes(mark.nanos).into());
        let timestamp = Some(began.saturating_add(since));
        let position = LogPosition { timestamp, ..self.piece.position };
        let fragment = TextFragment { text, ..self.piece.fragment() };
        let output = RunOutput::Event(RunEventRef::Text(fragment, position).to_owned());
        Some(LiveMessage { position: self.position(index), is_native: true, output })
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

impl PieceMark {
    fn end(&self) -> usize {
        u16::from_ne_bytes(self.end).into()
    }
}

/// The maximum number of bytes of text in a block. A ring is dropped by blocks, and this limits the
/// bytes that are copied when a text grows.
const BLOCK: u16 = 4_096;

/// The space that is added to a block at once: bytes of text, and pieces. Many texts are short, and
/// many grow at the same time.
const MORE_TEXT: usize = 512;
const MORE_MARKS: usize = 128;

#[cfg(test)]
mod tests;
