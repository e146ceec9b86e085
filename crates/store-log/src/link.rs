//! The chain of a conversation's events: each carries a hash of the one before it.
//!
//! This module computes hashes. An event that was replaced together with its checksum is noticed by
//! the event after it.

use sha2::{Digest as _, Sha256};

/// The hash of an event, its own link included, so that it stands for all events before it.
pub(crate) type Link = [u8; LENGTH];

/// The link of the first event.
pub(crate) const FIRST: Link = [0; LENGTH];

/// Returns the link of the event that follows the one with this link, position and content.
pub(crate) fn next(link: &Link, conversation: &str, position: u64, json: &str) -> Link {
    // Link and position have a fixed length, and the JSON begins with a brace, so no two events
    // hash the same bytes.
    let hash = Sha256::new()
        .chain_update(link)
        .chain_update(position.to_le_bytes())
        .chain_update(conversation)
        .chain_update([0])
        .chain_update(json)
        .finalize();
    let mut next = FIRST;
    next.copy_from_slice(&hash[..LENGTH]);
    next
}

/// Of the 32 bytes of SHA-256. A program that can write the files can make the rest of a chain, so
/// more bytes would only take up space.
const LENGTH: usize = 8;
