//! The marks of all families that are read, and their places in a text.
//!
//! This module compares text. The caller decides which marks count at a place.

use crate::family_data::{FamilyData, MarkPlace};

/// A mark and its meaning.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FormMark {
    pub(crate) text: &'static str,
    pub(crate) role: MarkRole,
    /// The number of its family.
    pub(crate) family: usize,
}

/// The meaning of a mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MarkRole {
    Think,
    ThinkEnd,
    Answer,
    AnswerEnd,
    Dropped,
    Stop,
    /// The end of a call or of its block; whether it is the outermost one.
    Closer(bool),
    /// The beginning of a message.
    Start,
    /// The beginning of a call: the number of its opener.
    Call(usize, MarkPlace),
}

/// The mark with which a text begins.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct FoundMark {
    /// Whether more text may make it a mark, or a longer one.
    pub(crate) may_go_on: bool,
    /// The number of the longest mark that is complete.
    pub(crate) whole: Option<usize>,
}

#[derive(Debug)]
pub(crate) struct MarkTable {
    pub(crate) marks: Vec<FormMark>,
    /// The bytes that marks begin with.
    first: Box<[bool; 256]>,
    needles: Vec<u8>,
}

impl MarkTable {
    pub(crate) fn new(families: &[&'static FamilyData]) -> Self {
        let mut marks = Vec::new();
        for (family, data) in families.iter().enumerate() {
            let mut add = |texts: &[&'static str], role| {
                marks.extend(texts.iter().map(|text| FormMark { text, role, family }));
            };
            for (number, opener) in data.calls.iter().enumerate() {
                add(&[opener.mark], MarkRole::Call(number, opener.place));
            }
            add(data.think, MarkRole::Think);
            add(data.think_end, MarkRole::ThinkEnd);
            add(data.answer, MarkRole::Answer);
            add(data.answer_end, MarkRole::AnswerEnd);
            for (number, closer) in data.closers.iter().enumerate() {
                add(&[*closer], MarkRole::Closer(number == 0));
            }
            if let Some(messages) = data.messages {
                add(messages.starts, MarkRole::Start);
            }
            add(data.dropped, MarkRole::Dropped);
            add(data.stops, MarkRole::Stop);
        }
        let mut first = Box::new([false; 256]);
        let mut needles = Vec::new();
        for byte in marks.iter().filter_map(|mark| mark.text.bytes().next()) {
            if !std::mem::replace(&mut first[usize::from(byte)], true) {
                needles.push(byte);
            }
        }
        Self { marks, first, needles }
    }

    /// Returns the next position at which a mark may begin.
    pub(crate) fn candidate(&self, text: &str, from: usize) -> Option<usize> {
        let bytes = &text.as_bytes()[from..];
        let found = match self.needles[..] {
            [] => None,
            [one] => memchr::memchr(one, bytes),
            [one, two] => memchr::memchr2(one, two, bytes),
            [one, two, three] => memchr::memchr3(one, two, three, bytes),
            _ => bytes.iter().position(|byte| self.first[usize::from(*byte)]),
        };
        found.map(|at| from + at)
    }

    /// Returns the first of the counting marks that a text begins with.
    pub(crate) fn find(&self, text: &str, counts: impl Fn(&FormMark) -> bool) -> FoundMark {
        let mut found = FoundMark::default();
        for (number, mark) in self.marks.iter().enumerate() {
            let is_longer = mark.text.len() > text.len();
            let is_match =
                if is_longer { mark.text.starts_with(text) } else { text.starts_with(mark.text) };
            if !is_match || !counts(mark) {
                continue;
            }
            let best = found.whole.map_or(0, |whole| self.marks[whole].text.len());
            if is_longer {
                found.may_go_on = true;
            } else if mark.text.len() > best {
                found.whole = Some(number);
            }
        }
        found
    }
}
