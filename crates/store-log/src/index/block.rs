//! The block: a part of the index, for events that follow one another in the log.
//!
//! This module handles events as texts with a place and a time. It uses neither the log nor the
//! storage of blocks.
//!
//! ```text
//! head        conversations, conversations that were deleted before these, events
//! dictionary  the number of words; for each the end of it and of its postings; the words
//! postings    for each word the numbers of the events that contain it, as differences
//! ```
//!
//! A word is a text between white space, so the text of a query is always in one word.

use std::collections::HashMap;
use std::ops::Range;

use memchr::memmem::Finder;

use crate::bytes::{ByteReader, ByteWriter};

/// A block as it is kept.
#[derive(Debug)]
pub(crate) struct Block {
    pub(crate) head: Vec<u8>,
    pub(crate) dictionary: Vec<u8>,
    pub(crate) postings: Vec<u8>,
}

/// The events of a block.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct BlockHead {
    /// The ids; an empty one if the conversation was deleted.
    pub(crate) conversations: Vec<String>,
    /// The conversations whose events in earlier blocks no longer count.
    pub(crate) deleted: Vec<String>,
    pub(crate) events: Vec<BlockEvent>,
}

/// An event of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BlockEvent {
    /// The index of its conversation.
    pub(crate) conversation: u32,
    pub(crate) position: u64,
    /// Its time in nanoseconds since the Unix epoch.
    pub(crate) time: i64,
}

/// The words of a block.
#[derive(Debug)]
pub(crate) struct Dictionary {
    bytes: Vec<u8>,
    count: usize,
}

/// A block that is being made.
#[derive(Debug, Default)]
pub(crate) struct BlockBuilder {
    head: BlockHead,
    /// The index of each conversation that was not deleted.
    conversations: HashMap<String, u32>,
    words: HashMap<String, WordPostings>,
    /// The length of all texts, in bytes.
    text: usize,
}

/// The events that contain a word.
#[derive(Debug, Default)]
struct WordPostings {
    last: u32,
    differences: ByteWriter,
}

impl BlockBuilder {
    /// Adds an event whose folded text is `text`.
    pub(crate) fn push(&mut self, conversation: &str, position: u64, time: i64, text: &str) {
        let event = self.push_event(conversation, position, time);
        self.text += text.len();
        for word in text.split_whitespace() {
            self.add(word, event);
        }
    }

    /// Removes the events of a conversation, here and in earlier blocks.
    pub(crate) fn delete(&mut self, conversation: &str) {
        if let Some(index) = self.conversations.remove(conversation) {
            self.head.conversations[index as usize].clear();
        }
        if !self.head.deleted.iter().any(|deleted| deleted == conversation) {
            self.head.deleted.push(conversation.to_owned());
        }
    }

    /// Adds all of a block that follows the added ones; `None` if it is damaged.
    pub(crate) fn append(&mut self, block: Block) -> Option<()> {
        let head = BlockHead::parse(&block.head)?;
        head.deleted.iter().for_each(|conversation| self.delete(conversation));
        let mut numbers = Vec::with_capacity(head.events.len());
        for event in &head.events {
            let conversation = head.conversations.get(event.conversation as usize)?;
            let push = || self.push_event(conversation, event.position, event.time);
            numbers.push((!conversation.is_empty()).then(push));
        }
        let dictionary = Dictionary::parse(block.dictionary)?;
        for index in 0..dictionary.count {
            let word = str::from_utf8(dictionary.word(index)?).ok()?.to_owned();
            let postings = block.postings.get(dictionary.postings(index)?)?;
            for event in events_of(postings) {
                if let Some(event) = *numbers.get(event? as usize)? {
                    self.add(&word, event);
                }
            }
        }
        Some(())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.head.events.is_empty() && self.head.deleted.is_empty()
    }

    /// Returns whether the block has as much text as one block should have.
    pub(crate) fn is_full(&self) -> bool {
        self.text >= FULL
    }

    pub(crate) fn finish(self) -> Block {
        let mut words: Vec<_> = self.words.into_iter().collect();
        words.sort_unstable_by(|one, other| one.0.cmp(&other.0));
        let (mut ends, mut text, mut postings) = (Vec::new(), Vec::new(), Vec::new());
        ends.extend((words.len() as u32).to_le_bytes());
        for (word, events) in words {
            text.extend_from_slice(word.as_bytes());
            text.push(b'\n');
            postings.extend_from_slice(&events.differences.0);
            ends.extend((text.len() as u32).to_le_bytes());
            ends.extend((postings.len() as u32).to_le_bytes());
        }
        ends.append(&mut text);
        Block { head: self.head.write(), dictionary: ends, postings }
    }

    /// Returns the number of the new event.
    fn push_event(&mut self, conversation: &str, position: u64, time: i64) -> u32 {
        let known = self.conversations.get(conversation).copied();
        let conversation = known.unwrap_or_else(|| {
            let index = self.head.conversations.len() as u32;
            self.head.conversations.push(conversation.to_owned());
            self.conversations.insert(conversation.to_owned(), index);
            index
        });
        self.head.events.push(BlockEvent { conversation, position, time });
        self.head.events.len() as u32 - 1
    }

    fn add(&mut self, word: &str, event: u32) {
        if !self.words.contains_key(word) {
            self.words.insert(word.to_owned(), WordPostings::default());
        }
        let postings = self.words.get_mut(word).expect("it was inserted");
        let is_first = postings.differences.0.is_empty();
        if is_first || postings.last < event {
            postings.differences.number(u64::from(event - postings.last));
            postings.last = event;
        }
    }
}

impl BlockHead {
    pub(crate) fn parse(bytes: &[u8]) -> Option<Self> {
        let mut reader = ByteReader(bytes);
        let (conversations, deleted) = (reader.texts()?, reader.texts()?);
        let mut events = Vec::new();
        let mut time = 0_i64;
        while !reader.is_empty() {
            let (conversation, position) = (reader.small()?, reader.number()?);
            time = time.wrapping_add(reader.signed()?);
            events.push(BlockEvent { conversation, position, time });
        }
        Some(Self { conversations, deleted, events })
    }

    fn write(&self) -> Vec<u8> {
        let mut writer = ByteWriter::default();
        writer.texts(&self.conversations);
        writer.texts(&self.deleted);
        let mut before = 0_i64;
        for event in &self.events {
            writer.number(u64::from(event.conversation));
            writer.number(event.position);
            writer.signed(event.time.wrapping_sub(before));
            before = event.time;
        }
        writer.0
    }
}

impl Dictionary {
    pub(crate) fn parse(bytes: Vec<u8>) -> Option<Self> {
        let count = u32::from_le_bytes(*bytes.first_chunk()?) as usize;
        let dictionary = Self { bytes, count };
        dictionary.text().is_some().then_some(dictionary)
    }

    /// Returns the places of the postings of each word that contains `part`.
    pub(crate) fn find(&self, part: &Finder<'_>) -> Option<Vec<Range<usize>>> {
        let text = self.text()?;
        let (mut found, mut from) = (Vec::new(), 0);
        while let Some(at) = text.get(from..).and_then(|text| part.find(text)) {
            let index = self.index(from + at)?;
            found.push(self.postings(index)?);
            // A word counts once.
            from = self.end(index)?.0;
        }
        Some(found)
    }

    /// Returns the index of the word at an offset of the text.
    fn index(&self, at: usize) -> Option<usize> {
        let (mut low, mut high) = (0, self.count);
        while low < high {
            let middle = low.midpoint(high);
            if self.end(middle)?.0 <= at {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        Some(low)
    }

    fn text(&self) -> Option<&[u8]> {
        self.bytes.get(COUNT + self.count.checked_mul(ENDS)?..)
    }

    fn word(&self, index: usize) -> Option<&[u8]> {
        let (begin, end) = (self.begin(index)?.0, self.end(index)?.0);
        self.text()?.get(begin..end.checked_sub(1)?)
    }

    fn postings(&self, index: usize) -> Option<Range<usize>> {
        Some(self.begin(index)?.1..self.end(index)?.1)
    }

    fn begin(&self, index: usize) -> Option<(usize, usize)> {
        index.checked_sub(1).map_or(Some((0, 0)), |before| self.end(before))
    }

    /// Returns the ends of a word and of its postings.
    fn end(&self, index: usize) -> Option<(usize, usize)> {
        let ends = self.bytes.get(COUNT + index * ENDS..)?.first_chunk::<ENDS>()?;
        let [w0, w1, w2, w3, p0, p1, p2, p3] = *ends;
        let (word, postings) = ([w0, w1, w2, w3], [p0, p1, p2, p3]);
        Some((u32::from_le_bytes(word) as usize, u32::from_le_bytes(postings) as usize))
    }
}

/// Returns the events of a word; `None` if the postings are damaged.
pub(crate) fn events_of(postings: &[u8]) -> impl Iterator<Item = Option<u32>> {
    let mut reader = ByteReader(postings);
    let mut last = 0_u32;
    std::iter::from_fn(move || {
        if reader.is_empty() {
            return None;
        }
        let next = reader.small().and_then(|difference| last.checked_add(difference));
        last = next.unwrap_or_default();
        if next.is_none() {
            reader = ByteReader(&[]);
        }
        Some(next)
    })
}

/// The length of the text after which a block gets no more events, in bytes. Its index takes about
/// a third of this.
const FULL: usize = 8 << 20;

const COUNT: usize = 4;
const ENDS: usize = 8;
