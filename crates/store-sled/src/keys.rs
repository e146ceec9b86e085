//! The keys of the trees.
//!
//! ```text
//! ev     [length - 1] id                 [position, 8 bytes, big-endian]   an event
//! meta   [length - 1] id                                                   what is known of a log
//!        (nothing)                                                         the clock: what is counted
//! value  [length - 1] space              key                               a version and its value
//! part   e [key of ev]                   [number, 4 bytes, big-endian]     a piece of an event
//!        v [key of value] [version, 8]   [number, 4 bytes, big-endian]     a piece of a version
//! ```
//!
//! The length before a name makes no name's keys the beginning of another's, whatever bytes it
//! holds; names are 1 to 256 bytes long, so the length less one is a byte.

use crate::link::SledLink;

/// Of what is known of the log of `conversation`.
pub(crate) fn meta(conversation: &str) -> Vec<u8> {
    name(conversation)
}

/// The conversation whose [`meta`] key this is.
pub(crate) fn conversation(meta: &[u8]) -> Option<&str> {
    let (&length, id) = meta.split_first()?;
    (id.len() == usize::from(length) + 1).then(|| std::str::from_utf8(id).ok()).flatten()
}

/// Of what is counted over the whole store, in the tree `meta`.
pub(crate) const CLOCK: &[u8] = &[];

/// Of the event of `conversation` at `position`.
pub(crate) fn event(conversation: &str, position: u64) -> Vec<u8> {
    [&name(conversation)[..], &position.to_be_bytes()].concat()
}

/// The conversation and the position whose [`event`] key this is.
pub(crate) fn place(event: &[u8]) -> Option<(&str, u64)> {
    let (meta, position) = event.split_last_chunk()?;
    Some((conversation(meta)?, u64::from_be_bytes(*position)))
}

/// The position in an [`event`] key.
pub(crate) fn position(event: &[u8]) -> Option<u64> {
    event.last_chunk().copied().map(u64::from_be_bytes)
}

/// What the [`event`] keys of a conversation begin with, and no others.
pub(crate) fn events(conversation: &str) -> Vec<u8> {
    name(conversation)
}

/// Of the value `key` in `space`.
pub(crate) fn value(space: &str, key: &str) -> Vec<u8> {
    [&name(space)[..], key.as_bytes()].concat()
}

/// The space and the key whose [`value`] key this is.
pub(crate) fn space_and_key(value: &[u8]) -> Option<(&str, &str)> {
    let (space, key) = value.split_at_checked(usize::from(*value.first()?) + 2)?;
    Some((conversation(space)?, str::from_utf8(key).ok()?))
}

/// Where the pieces of an event are: the beginning of their keys.
pub(crate) fn event_parts(event: &[u8]) -> Vec<u8> {
    [b"e", event].concat()
}

/// What the record of the event `key` is sealed with, which covers its link.
pub(crate) fn linked(event: &[u8], link: &SledLink) -> Vec<u8> {
    [event, link].concat()
}

/// Of one version of a value, whose record is sealed with it.
pub(crate) fn versioned(value: &[u8], version: u64) -> Vec<u8> {
    [value, &version.to_be_bytes()].concat()
}

/// Where the pieces of one version of a value are: the beginning of their keys.
pub(crate) fn value_parts(versioned: &[u8]) -> Vec<u8> {
    [b"v", versioned].concat()
}

/// Of the piece of that number, from 0.
pub(crate) fn part(parts: &[u8], number: u32) -> Vec<u8> {
    [parts, &number.to_be_bytes()].concat()
}

fn name(name: &str) -> Vec<u8> {
    // The caller has checked the length; no name shares the key of another even if it had not.
    let length = u8::try_from(name.len().saturating_sub(1)).unwrap_or(u8::MAX);
    [&[length], name.as_bytes()].concat()
}
