//! Finds the end of a JSON string, 8 or 32 bytes at a time.
//!
//! This module finds escapes and control characters, and does not decode them.

/// Returns the position after the closing quote of the JSON string whose text begins at `at`.
/// Returns `None` if the string does not end, or contains a byte that no string may.
pub(super) fn end(bytes: &[u8], at: usize) -> Option<usize> {
    let mut at = at;
    // A look at the next block pays off only after this position: most strings are short, and the
    // special byte that ended a block has to be passed first.
    let mut next_block = at + SHORT;
    loop {
        if at >= next_block {
            at += usual(&bytes[at..]);
            next_block = at + BLOCK;
        }
        let special = special(load(&bytes[at..]));
        if special == 0 {
            at += 8;
            continue;
        }
        at += special.trailing_zeros() as usize / 8;
        match *bytes.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => at += escape(&bytes[at + 1..])?,
            _ => return None,
        }
    }
}

/// Returns the length of the escape whose backslash comes before `rest`. An unpaired surrogate is
/// grammatical.
fn escape(rest: &[u8]) -> Option<usize> {
    match *rest.first()? {
        b'u' => rest.get(1..5)?.iter().all(u8::is_ascii_hexdigit).then_some(6),
        byte => ESCAPED[usize::from(byte)].then_some(2),
    }
}

/// The bytes that form an escape together with the backslash before them.
static ESCAPED: [bool; 256] = {
    let mut escaped = [false; 256];
    let bytes = b"\"\\/bfnrt";
    let mut nth = 0;
    while nth < bytes.len() {
        escaped[bytes[nth] as usize] = true;
        nth += 1;
    }
    escaped
};

/// Returns the length of the leading blocks that contain only plain characters and common escapes.
fn usual(text: &[u8]) -> usize {
    let mut at = 0;
    while let Some(block) = text[at..].first_chunk()
        && is_usual(block)
    {
        // The escape may extend into the next block.
        at += BLOCK + usize::from(block[BLOCK - 1] == b'\\');
    }
    at
}

/// Returns whether a block contains only plain characters and common escapes. The last byte is that
/// which follows the block. Only the first byte decides a branch, so this becomes a handful of
/// vector instructions.
#[inline]
fn is_usual(block: &[u8; BLOCK + 1]) -> bool {
    let is_odd = |at: usize| {
        let (byte, next) = (block[at], block[at + 1]);
        let is_usual = (next == b'n') | (next == b'"') | (next == b't') | (next == b'r');
        let is_backslash = byte == b'\\';
        // Two backslashes do not count as common, so a backslash always begins an escape.
        (byte < b' ') | (is_backslash & !is_usual) | (!is_backslash & (next == b'"'))
    };
    block[0] != b'"' && !(0..BLOCK).fold(false, |any, at| any | is_odd(at))
}

const SHORT: usize = 16;
const BLOCK: usize = 32;

/// Returns the first 8 bytes, the first of them lowest. Missing bytes are zeros.
#[inline]
fn load(bytes: &[u8]) -> u64 {
    match bytes.first_chunk() {
        Some(word) => u64::from_le_bytes(*word),
        None => bytes.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte)),
    }
}

/// Returns a word with the top bit set for the first quote, backslash or control character, and
/// perhaps for bytes after it.
#[inline]
fn special(word: u64) -> u64 {
    // This moves the quote next to the control characters.
    let low = word ^ every(0x02);
    let back = word ^ every(b'\\');
    (low.wrapping_sub(every(0x21)) & !low | back.wrapping_sub(every(1)) & !back) & every(0x80)
}

const fn every(byte: u8) -> u64 {
    u64::from_le_bytes([byte; 8])
}
