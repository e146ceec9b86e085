//! The record: the meaning of a frame.
//!
//! This module converts events, values and deletions to frames and back. It does not read or write
//! files.

use silcrow_event as event;

use crate::frame::{Frame, Header, SegmentKey};
use crate::link::Link;
use crate::store_id::SegmentIdentity;

/// One change, as the log has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LogRecord<'a> {
    /// The beginning of a segment: the length of the segment before it at that time, its own length
    /// if it was rewritten, and the segment's number and store. Segments of earlier versions lack
    /// the last.
    Begin { before: u64, rewritten: Option<u64>, identity: Option<SegmentIdentity> },
    /// An event of a conversation.
    Event { conversation: &'a str, position: u64, traits: Traits, link: &'a Link, json: &'a [u8] },
    /// A value under a key.
    Value { space: &'a str, key: &'a str, version: u64, value: &'a [u8] },
    /// The end of a conversation with this head, and of the values that belong to it.
    Delete { conversation: &'a str, head: u64 },
    /// A damaged event that the log skips since it was mended.
    Lost { conversation: &'a str, position: u64 },
    /// A damaged value that the log skips since it was mended.
    Forgotten { space: &'a str, key: &'a str, version: u64 },
}

/// The known data of a record whose body is damaged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum DamagedRecord {
    Event {
        conversation: String,
        position: u64,
    },
    Value {
        space: String,
        key: String,
        version: u64,
    },
    /// Nothing is known, or nothing is missing without it.
    Unknown,
}

/// The place of a frame among frames that are written together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PlaceInGroup {
    pub(crate) is_first: bool,
    pub(crate) is_last: bool,
}

/// The data of an event that the summary of a conversation needs without reading the event.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Traits {
    /// It is a message of a person.
    pub(crate) is_prompt: bool,
    /// It names a user.
    pub(crate) has_user: bool,
    /// It names a folder.
    pub(crate) has_folder: bool,
    /// It names the conversation.
    pub(crate) is_title: bool,
}

impl Traits {
    pub(crate) fn new(entry: &event::Entry) -> Self {
        let is_title = match &entry.event {
            event::Event::Title { content } => !content.trim().is_empty(),
            _ => false,
        };
        Self {
            is_prompt: matches!(entry.event, event::Event::User { .. }),
            has_user: entry.user.is_some(),
            has_folder: entry.folder.is_some(),
            is_title,
        }
    }

    const fn from_flags(flags: u8) -> Self {
        Self {
            is_prompt: flags & IS_PROMPT != 0,
            has_user: flags & HAS_USER != 0,
            has_folder: flags & HAS_FOLDER != 0,
            is_title: flags & IS_TITLE != 0,
        }
    }

    const fn flags(self) -> u8 {
        flag(IS_PROMPT, self.is_prompt)
            | flag(HAS_USER, self.has_user)
            | flag(HAS_FOLDER, self.has_folder)
            | flag(IS_TITLE, self.is_title)
    }
}

impl<'a> LogRecord<'a> {
    /// Reads a frame. `None` if this version cannot interpret it.
    pub(crate) fn read(frame: &Frame<'a>) -> Option<Self> {
        let Frame { header: Header { kind, flags, number, name }, body } = *frame;
        let text = |bytes: &'a [u8]| str::from_utf8(bytes).ok();
        Some(match kind {
            BEGIN => {
                let rewritten = body.first_chunk().map(|length| u64::from_le_bytes(*length));
                let identity = SegmentIdentity::parse(name);
                Self::Begin { before: number, rewritten, identity }
            }
            EVENT => {
                let (link, json) = body.split_first_chunk()?;
                let traits = Traits::from_flags(flags);
                let conversation = text(name)?;
                Self::Event { conversation, position: number, traits, link, json }
            }
            VALUE => {
                let (space, key) = split(name)?;
                Self::Value { space, key, version: number, value: body }
            }
            DELETE => Self::Delete { conversation: text(name)?, head: number },
            LOST => Self::Lost { conversation: text(name)?, position: number },
            FORGOTTEN => {
                let (space, key) = split(name)?;
                Self::Forgotten { space, key, version: number }
            }
            _ => return None,
        })
    }

    /// Appends the record's frame, whose offset in the segment will be `at`.
    pub(crate) fn write(&self, key: SegmentKey, at: u64, place: PlaceInGroup, to: &mut Vec<u8>) {
        let flags = flag(IS_FIRST, place.is_first) | flag(IS_LAST, place.is_last);
        match *self {
            Self::Begin { before, rewritten, identity } => {
                let name = identity.map(SegmentIdentity::to_bytes);
                let name = name.as_ref().map_or(&b""[..], |name| name);
                let header = Header { kind: BEGIN, flags, number: before, name };
                let body = rewritten.map(u64::to_le_bytes);
                let body = body.as_ref().map_or(&b""[..], |length| length);
                Frame { header, body }.write(key, at, to);
            }
            Self::Event { conversation, position, traits, link, json } => {
                let flags = flags | traits.flags();
                let name = conversation.as_bytes();
                let header = Header { kind: EVENT, flags, number: position, name };
                let body = [link, json].concat();
                Frame { header, body: &body }.write(key, at, to);
            }
            Self::Value { space, key: name, version, value } => {
                let name = join(space, name);
                let header = Header { kind: VALUE, flags, number: version, name: &name };
                Frame { header, body: value }.write(key, at, to);
            }
            Self::Forgotten { space, key: name, version } => {
                let name = join(space, name);
                let header = Header { kind: FORGOTTEN, flags, number: version, name: &name };
                Frame { header, body: b"" }.write(key, at, to);
            }
            Self::Delete { conversation, head: number }
            | Self::Lost { conversation, position: number } => {
                let kind = if matches!(self, Self::Lost { .. }) { LOST } else { DELETE };
                let header = Header { kind, flags, number, name: conversation.as_bytes() };
                Frame { header, body: b"" }.write(key, at, to);
            }
        }
    }
}

impl Header<'_> {
    /// Returns whether the frame is the first of its group.
    pub(crate) const fn is_first(&self) -> bool {
        self.flags & IS_FIRST != 0
    }

    /// Returns whether the frame is the last of its group.
    pub(crate) const fn is_last(&self) -> bool {
        self.flags & IS_LAST != 0
    }

    /// Returns the data that is lost if the body is.
    pub(crate) fn lost(&self) -> DamagedRecord {
        let known = match self.kind {
            EVENT => str::from_utf8(self.name).ok().map(|name| DamagedRecord::Event {
                conversation: name.to_owned(),
                position: self.number,
            }),
            VALUE => split(self.name).map(|(space, key)| {
                let (space, key) = (space.to_owned(), key.to_owned());
                DamagedRecord::Value { space, key, version: self.number }
            }),
            _ => None,
        };
        known.unwrap_or(DamagedRecord::Unknown)
    }
}

const fn flag(flag: u8, is_set: bool) -> u8 {
    if is_set { flag } else { 0 }
}

/// The name of a value: the length of the space, the space, and the key.
fn join(space: &str, key: &str) -> Vec<u8> {
    let length = u16::try_from(space.len()).expect("a space has a limit").to_le_bytes();
    [&length, space.as_bytes(), key.as_bytes()].concat()
}

fn split(name: &[u8]) -> Option<(&str, &str)> {
    let (length, rest) = name.split_first_chunk()?;
    let (space, key) = rest.split_at_checked(usize::from(u16::from_le_bytes(*length)))?;
    Some((str::from_utf8(space).ok()?, str::from_utf8(key).ok()?))
}

const BEGIN: u8 = 1;
const EVENT: u8 = 2;
const VALUE: u8 = 3;
const DELETE: u8 = 4;
const LOST: u8 = 5;
const FORGOTTEN: u8 = 6;

const IS_FIRST: u8 = 1;
const IS_LAST: u8 = 2;
const IS_PROMPT: u8 = 4;
const HAS_USER: u8 = 8;
const HAS_FOLDER: u8 = 16;
const IS_TITLE: u8 = 32;
