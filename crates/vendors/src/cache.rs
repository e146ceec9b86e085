//! The key by which a vendor finds the prompt cache of a conversation.

use serde::{Serialize, Serializer};
use silcrow_event::{Message, Role};

/// What all requests of one conversation have in common, and no two conversations: a vendor routes
/// requests with the same key to the same cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CacheKey(u64);

impl CacheKey {
    /// Hashes the messages up to the first one of a user, which never change.
    pub(crate) fn of(messages: &[Message]) -> Self {
        let asked = messages.iter().position(|message| message.role == Role::User);
        let first = &messages[..asked.map_or(messages.len(), |at| at + 1)];
        // No byte of UTF-8 is 0xFF: it keeps the messages apart.
        // Fowler, Noll and Vo's FNV-1a: the same in every process and version.
        Self(first.iter().fold(0xCBF2_9CE4_8422_2325, |hash, message| {
            message
                .text()
                .bytes()
                .chain([0xFF])
                .fold(hash, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3))
        }))
    }
}

impl Serialize for CacheKey {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(&format_args!("silcrow-{:016x}", self.0))
    }
}
