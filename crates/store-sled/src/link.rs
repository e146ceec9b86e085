use sha2::{Digest as _, Sha256};

/// What an event's record says of the events before it: a hash of the last of them, which says the
/// same of those before it.
pub(crate) type SledLink = [u8; LENGTH];

/// Of an event without one before it.
pub(crate) const FIRST: SledLink = [0; LENGTH];

/// Of the event after the one with this link, key and content.
pub(crate) fn after(link: &SledLink, key: &[u8], content: &[u8]) -> SledLink {
    // SledLink and key say their own lengths, so no two events hash the same bytes.
    let hash = Sha256::new().chain_update(link).chain_update(key).chain_update(content).finalize();
    let mut after = FIRST;
    after.copy_from_slice(&hash[..LENGTH]);
    after
}

/// Takes the link off the front of an event's value.
pub(crate) fn split(value: &[u8]) -> Option<(&SledLink, &[u8])> {
    value.split_first_chunk()
}

/// Of the 32 bytes of SHA-256: to replace an event unseen, another of the same hash has to be
/// found, which takes 2^128 tries.
const LENGTH: usize = 16;
