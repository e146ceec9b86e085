//! The key under which a vendor finds the prompt cache of a conversation.

use serde::{Serialize, Serializer};
use silcrow_event::{Message, Role};

/// A key that is the same for all requests of a conversation. A vendor routes requests with the
/// same key to the same cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CacheKey(u64);

impl CacheKey {
    /// Hashes the instructions and the beginning of the user's first message, up to a blank line.
    /// They stay the same when more is said before the first answer, and when a summary takes the
    /// place of the messages that follow.
    pub(crate) fn for_messages(messages: &[Message]) -> Self {
        let asked = messages.iter().position(|message| message.role == Role::User);
        let first = &messages[..asked.map_or(messages.len(), |at| at + 1)];
        // The hash is FNV-1a, which is the same in every process and version. The byte 0xFF, which
        // UTF-8 does not contain, separates the messages.
        Self(first.iter().fold(0xCBF2_9CE4_8422_2325, |hash, message| {
            stable(message)
                .bytes()
                .chain([0xFF])
                .fold(hash, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3))
        }))
    }
}

/// Returns the text of a message that does not change.
fn stable(message: &Message) -> String {
    let text = message.text();
    let end = match message.role {
        Role::System => text.len(),
        _ => text.find("\n\n").unwrap_or(text.len()),
    };
    text[..end].trim_end().to_owned()
}

impl Serialize for CacheKey {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(&format_args!("silcrow-{:016x}", self.0))
    }
}
