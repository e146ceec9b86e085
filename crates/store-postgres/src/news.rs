//! The hints that processes give each other about logs that have grown: a number for each
//! conversation, because a hint is short and an id may be long.

use std::collections::BTreeSet;

/// The number of a conversation in hints. Two conversations may have the same one, which costs a
/// question more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Hint(u64);

impl Hint {
    /// Returns the number of a conversation, which is the same in every process and version.
    pub(crate) fn for_conversation(conversation: &str) -> Self {
        let mix = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(FNV_PRIME);
        Self(conversation.bytes().fold(FNV_BASIS, mix))
    }
}

/// Writes hints as texts that the server passes on.
pub(crate) fn write(hints: BTreeSet<Hint>) -> Vec<String> {
    let words: Vec<String> = hints.into_iter().map(|Hint(number)| format!("{number:x}")).collect();
    words.chunks(MOST).map(|words| words.join(" ")).collect()
}

/// Parses a text of [`write`], and skips everything that is not a hint.
pub(crate) fn parse(text: &str) -> BTreeSet<Hint> {
    let parse = |word| u64::from_str_radix(word, 16).ok().map(Hint);
    text.split_whitespace().filter_map(parse).collect()
}

const FNV_BASIS: u64 = 0xcbf2_9ce4_8422_2325;
const FNV_PRIME: u64 = 0x0100_0000_01b3;

/// The number of hints in a text, which has to be shorter than 8,000 bytes.
const MOST: usize = 400;
