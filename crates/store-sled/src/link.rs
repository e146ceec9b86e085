//! The links between events.
//!
//! The record of an event has a link: a hash of the event before it, and so of all events before
//! it.

use sha2::{Digest as _, Sha256};

/// The link of an event, the first bytes of a SHA-256.
pub(crate) type SledLink = [u8; LENGTH];

/// The link of the first event.
pub(crate) const FIRST: SledLink = [0; LENGTH];

/// Returns the link of the event after the one with this link, key and content.
pub(crate) fn after(link: &SledLink, key: &[u8], content: &[u8]) -> SledLink {
    // Link and key have known lengths, so no two events hash the same bytes.
    let hash = Sha256::new().chain_update(link).chain_update(key).chain_update(content).finalize();
    let mut after = FIRST;
    after.copy_from_slice(&hash[..LENGTH]);
    after
}

/// Takes the link off the front of an event's value.
pub(crate) fn split(value: &[u8]) -> Option<(&SledLink, &[u8])> {
    value.split_first_chunk()
}

/// The length of a link in bytes.
const LENGTH: usize = 16;
