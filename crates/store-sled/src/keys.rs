//! The keys of the trees.
//!
//! ```text
//! ev     [length - 1] id                 [position, 8 bytes, big-endian]   an event
//! meta   [length - 1] id                                                   a summary
//!        (nothing)                                                         the count of changes
//! value  [length - 1] space              key                               a version and its value
//! part   e [key of ev]                   [number, 4 bytes, big-endian]     a piece of an event
//!        v [key of value] [version, 8]   [number, 4 bytes, big-endian]     a piece of a version
//! ```
//!
//! The length before a name prevents that the keys of a name begin with those of another, whatever
//! bytes a name has. Names are 1 to 256 bytes long, so the length less one is a byte.

use crate::link::SledLink;

/// Returns the key of the summary of `conversation`.
pub(crate) fn summary(conversation: &str) -> Vec<u8> {
    name(conversation)
}

/// Returns the conversation whose [`summary`] key this is.
pub(crate) fn conversation(summary: &[u8]) -> Option<&str> {
    let (&length, id) = summary.split_first()?;
    (id.len() == usize::from(length) + 1).then(|| std::str::from_utf8(id).ok()).flatten()
}

/// The key of what is counted over the whole store, in the tree `meta`.
pub(crate) const CLOCK: &[u8] = &[];

/// Returns the key of the event of `conversation` at `position`.
pub(crate) fn event(conversation: &str, position: u64) -> Vec<u8> {
    [&name(conversation)[..], &position.to_be_bytes()].concat()
}

/// Returns the conversation and the position whose [`event`] key this is.
pub(crate) fn place(event: &[u8]) -> Option<(&str, u64)> {
    let (summary, position) = event.split_last_chunk()?;
    Some((conversation(summary)?, u64::from_be_bytes(*position)))
}

/// Returns the position in an [`event`] key.
pub(crate) fn position(event: &[u8]) -> Option<u64> {
    event.last_chunk().copied().map(u64::from_be_bytes)
}

/// Returns the key of the value `key` in `space`.
pub(crate) fn value(space: &str, key: &str) -> Vec<u8> {
    [&name(space)[..], key.as_bytes()].concat()
}

/// Returns the space and the key whose [`value`] key this is.
pub(crate) fn space_and_key(value: &[u8]) -> Option<(&str, &str)> {
    let (space, key) = value.split_at_checked(usize::from(*value.first()?) + 2)?;
    Some((conversation(space)?, str::from_utf8(key).ok()?))
}

/// Returns the beginning of the keys of an event's pieces.
pub(crate) fn event_parts(event: &[u8]) -> Vec<u8> {
    [b"e", event].concat()
}

/// Returns the key with which the record of an event is sealed, which covers its link.
pub(crate) fn linked(event: &[u8], link: &SledLink) -> Vec<u8> {
    [event, link].concat()
}

/// Returns the key with which the record of a version of a value is sealed.
pub(crate) fn versioned(value: &[u8], version: u64) -> Vec<u8> {
    [value, &version.to_be_bytes()].concat()
}

/// Returns the beginning of the keys of the pieces of a version.
pub(crate) fn value_parts(versioned: &[u8]) -> Vec<u8> {
    [b"v", versioned].concat()
}

/// Returns the key of the piece with this number, from 0.
pub(crate) fn part(parts: &[u8], number: u32) -> Vec<u8> {
    [parts, &number.to_be_bytes()].concat()
}

fn name(name: &str) -> Vec<u8> {
    // The caller has checked the length.
    let length = u8::try_from(name.len().saturating_sub(1)).unwrap_or(u8::MAX);
    [&[length], name.as_bytes()].concat()
}
