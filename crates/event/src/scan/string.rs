/// Where the JSON string ends whose text begins at `at`: behind its quote. `None` if it does not
/// end, or holds what no string may.
pub(super) fn end(bytes: &[u8], at: usize) -> Option<usize> {
    let mut at = at;
    // From here on a look at the next block is worth it: most strings are short, and what is
    // special in a block that was left is passed first.
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

/// The length of the escape that `rest` is behind the backslash of. A half of a surrogate pair is
/// no matter of grammar.
fn escape(rest: &[u8]) -> Option<usize> {
    match *rest.first()? {
        b'u' => rest.get(1..5)?.iter().all(u8::is_ascii_hexdigit).then_some(6),
        byte => ESCAPED[usize::from(byte)].then_some(2),
    }
}

/// What makes an escape with the backslash before it.
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

/// The length of the blocks of a string's text that hold nothing but plain characters and usual
/// escapes.
fn usual(text: &[u8]) -> usize {
    let mut at = 0;
    while let Some(block) = text[at..].first_chunk()
        && is_usual(block)
    {
        // An escape may reach out of the block.
        at += BLOCK + usize::from(block[BLOCK - 1] == b'\\');
    }
    at
}

/// Whether a block is, with the byte behind it at its end. No branch depends on a byte but the
/// first, so this becomes a handful of vector instructions.
#[inline]
fn is_usual(block: &[u8; BLOCK + 1]) -> bool {
    let is_odd = |at: usize| {
        let (byte, next) = (block[at], block[at + 1]);
        let is_usual = (next == b'n') | (next == b'"') | (next == b't') | (next == b'r');
        let is_backslash = byte == b'\\';
        // Two backslashes are not usual: so a backslash always begins an escape.
        (byte < b' ') | (is_backslash & !is_usual) | (!is_backslash & (next == b'"'))
    };
    block[0] != b'"' && !(0..BLOCK).fold(false, |any, at| any | is_odd(at))
}

const SHORT: usize = 16;
const BLOCK: usize = 32;

/// The first 8 bytes, the first of them lowest; what is missing is zeros.
#[inline]
fn load(bytes: &[u8]) -> u64 {
    match bytes.first_chunk() {
        Some(word) => u64::from_le_bytes(*word),
        None => bytes.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte)),
    }
}

/// The top bit of each byte that is a quote, a backslash or a control character, and perhaps of
/// bytes behind the first such.
#[inline]
fn special(word: u64) -> u64 {
    // Next to the control characters stands now the quote.
    let low = word ^ every(0x02);
    let back = word ^ every(b'\\');
    (low.wrapping_sub(every(0x21)) & !low | back.wrapping_sub(every(1)) & !back) & every(0x80)
}

const fn every(byte: u8) -> u64 {
    u64::from_le_bytes([byte; 8])
}
