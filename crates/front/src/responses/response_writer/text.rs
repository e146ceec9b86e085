//! The text that is being written: a thought or a part of the answer.

use crate::encoder::RunEnd;
use crate::held_space::HeldSpace;
use crate::piece_frame::PieceFrame;
use crate::responses::response_item::{COMPLETED, INCOMPLETE, ItemContent, ResponseItem};
use crate::responses::sequence_numbers::STEP;
use crate::responses::stream_message::{StreamMessage, write_number};
use crate::transcript::SectionKind;

use super::ResponseWriter;

/// A text that has begun.
#[derive(Debug)]
pub(super) struct StreamedText {
    id: String,
    kind: SectionKind,
    space: HeldSpace,
    /// The index of its item, which begins with the first character that is not white space.
    index: Option<usize>,
    /// The number of bytes that were sent.
    sent: usize,
    /// The beginning of the messages about its pieces, once the first was sent.
    frame: Option<PieceFrame>,
}

impl ResponseWriter {
    pub(super) fn begin_text(&mut self, id: &str, kind: SectionKind) {
        let (space, index, sent, frame) = Default::default();
        self.text = Some(StreamedText { id: id.to_owned(), kind, space, index, sent, frame });
    }

    pub(super) fn grow_text(&mut self, piece: &str, out: &mut String) {
        let Some(mut open) = self.text.take() else { return };
        let StreamedText { id, kind, space, index, .. } = &mut open;
        if let Some([space, piece]) = space.push(piece) {
            let index = *index.get_or_insert_with(|| self.add_text(id, *kind, out));
            if let ItemContent::Text { text, .. } = &mut self.items[index].content {
                text.push_str(space);
                text.push_str(piece);
                // Text beyond the last position is sent at the end.
                if FIRST + (text.len() as u64) < LAST {
                    self.send_text(&mut open, index, out);
                }
            }
        }
        self.text = Some(open);
    }

    pub(super) fn end_text(&mut self, out: &mut String) {
        let Some(mut open) = self.text.take() else { return };
        let Some(index) = open.index else { return };
        self.send_text(&mut open, index, out);
        self.numbers.end_text();
        let is_cut = matches!(self.end, Some(RunEnd::Stopped | RunEnd::Failed { .. }));
        self.finish_text(index, if is_cut { INCOMPLETE } else { COMPLETED }, out);
    }

    /// Writes a whole text of the answer, which the log determines.
    pub(super) fn whole_text(&mut self, id: &str, text: &str, out: &mut String) {
        let content = ItemContent::Text { kind: SectionKind::Answer, text: text.to_owned() };
        let index = self.add_item(ResponseItem::new(id, content), out);
        let begun = TextMessages::new(&self.items[index], index);
        let (part_added, delta) = (begun.part_added(), begun.delta().text("delta", text));
        self.write(part_added, out);
        self.write(delta, out);
        self.finish_text(index, COMPLETED, out);
    }

    /// Writes that a text is complete.
    fn finish_text(&mut self, index: usize, status: &'static str, out: &mut String) {
        let messages = TextMessages::new(&self.items[index], index);
        let (done, part_done) = (messages.done(), messages.part_done());
        self.write(done, out);
        self.write(part_done, out);
        self.finish_item(index, status, out);
    }

    /// Adds the item of a text, and writes that it and its part begin.
    fn add_text(&mut self, id: &str, kind: SectionKind, out: &mut String) -> usize {
        let content = ItemContent::Text { kind, text: String::new() };
        let (index, item) = (self.items.len(), ResponseItem::new(id, content));
        let added =
            StreamMessage::with_item("response.output_item.added", index, item.to_first_json());
        let part_added = TextMessages::new(&item, index).part_added();
        for (position, message) in (1..).zip([added, part_added]) {
            if let Some(number) = self.numbers.text(position) {
                message.write(number, out);
            }
        }
        self.items.push(item);
        index
    }

    /// Writes the unsent part of a text, except for bytes that the client has read.
    fn send_text(&mut self, open: &mut StreamedText, index: usize, out: &mut String) {
        let messages = TextMessages::new(&self.items[index], index);
        let (text, begin) = (messages.text, open.sent);
        if begin == text.len() {
            return;
        }
        open.sent = text.len();
        let known = self.numbers.known_text().saturating_sub(FIRST);
        let known = usize::try_from(known).unwrap_or(usize::MAX);
        let begin = text.floor_char_boundary(begin.max(known));
        let position = LAST.min(FIRST + text.len() as u64);
        if let Some(number) = self.numbers.text(position) {
            let frame = open.frame.get_or_insert_with(|| messages.delta().into_frame("delta"));
            frame.write(&text[begin..], out);
            write_number(number, out);
        }
    }
}

/// The messages about the text of an item.
struct TextMessages<'a> {
    index: usize,
    item: &'a ResponseItem,
    kind: SectionKind,
    text: &'a str,
}

impl<'a> TextMessages<'a> {
    fn new(item: &'a ResponseItem, index: usize) -> Self {
        let (kind, text) = match &item.content {
            ItemContent::Text { kind, text } => (*kind, &**text),
            _ => (SectionKind::Answer, ""),
        };
        Self { index, item, kind, text }
    }

    fn part_added(&self) -> StreamMessage {
        let part = ResponseItem::part(self.kind, "");
        match self.kind {
            SectionKind::Thought => self.about("response.reasoning_summary_part.added"),
            SectionKind::Answer => self.about("response.content_part.added"),
        }
        .raw("part", part)
    }

    /// Returns the message about a piece, without the piece.
    fn delta(&self) -> StreamMessage {
        match self.kind {
            SectionKind::Thought => self.about("response.reasoning_summary_text.delta"),
            SectionKind::Answer => self.about("response.output_text.delta").raw("logprobs", "[]"),
        }
    }

    fn done(&self) -> StreamMessage {
        match self.kind {
            SectionKind::Thought => self.about("response.reasoning_summary_text.done"),
            SectionKind::Answer => self.about("response.output_text.done").raw("logprobs", "[]"),
        }
        .text("text", self.text)
    }

    fn part_done(&self) -> StreamMessage {
        let part = ResponseItem::part(self.kind, self.text);
        match self.kind {
            SectionKind::Thought => self.about("response.reasoning_summary_part.done"),
            SectionKind::Answer => self.about("response.content_part.done"),
        }
        .raw("part", part)
    }

    fn about(&self, event: &'static str) -> StreamMessage {
        let part = match self.kind {
            SectionKind::Thought => "summary_index",
            SectionKind::Answer => "content_index",
        };
        StreamMessage::about(event, self.index, self.item).integer(part, 0)
    }
}

/// The position in a text of which nothing was sent: its item and its part come before.
const FIRST: u64 = 2;

/// The position of the part that is sent at the end of a text.
const LAST: u64 = STEP - 1;
