//! The search for the end of a JSON string, which is most of the lexer's work in a call's body.
//!
//! This module follows quotes, backslashes and line breaks.

use crate::block::{BLOCK, clear};
use crate::word::{equal, first_of, load, load_last, near};

/// Returns the position of the quote that ends a JSON string, or of a line break before it.
///
/// `escaped` is whether the first byte is escaped, and afterwards whether the byte after the search
/// is. This is for a chunk that probably contains only text of the string.
#[inline]
pub(crate) fn find_stop(bytes: &[u8], escaped: &mut bool) -> Option<usize> {
    // In a small chunk a call costs more than the search.
    let continues = match bytes.len() {
        0..=8 => stops(load(bytes), *escaped) == 0,
        9..=16 => {
            let before = bytes[bytes.len() - 9] == b'\\';
            stops(load(bytes), *escaped) | stops(load_last(bytes), before) == 0
        }
        _ => false,
    };
    if !continues {
        return find_stop_far(bytes, 0, escaped);
    }
    *escaped = ends_escaped(bytes, *escaped);
    None
}

/// Does the same at the beginning of a string, which is often short.
#[inline]
pub(crate) fn find_near_stop(bytes: &[u8], escaped: &mut bool) -> Option<usize> {
    let front = stops(load(bytes), *escaped);
    if front == 0 && bytes.len() > 8 {
        *escaped = bytes[7] == b'\\';
        return find_stop_far(bytes, 8, escaped);
    }
    let at = first_of(front);
    if front != 0 && bytes[at] != b'\\' {
        *escaped = false;
        return Some(at);
    }
    find_stop_far(bytes, 0, escaped)
}

/// Does the same from position `at`, for long text.
#[inline(never)]
fn find_stop_far(bytes: &[u8], mut at: usize, escaped: &mut bool) -> Option<usize> {
    // Up to this position words are faster than a block: a string is often short, and a block with
    // a stop is searched again.
    let mut words = 16;
    loop {
        let rest = &bytes[at..];
        let stops = stops(load(rest), *escaped);
        if stops != 0 {
            at += first_of(stops);
            *escaped = false;
            if bytes[at] != b'\\' {
                return Some(at);
            }
            // The backslash is escaped itself, and more such pairs often follow.
            at += 1;
            while let [b'\\', next, ..] = bytes[at..]
                && next != b'\n'
            {
                at += 2;
            }
            continue;
        }
        if rest.len() <= 8 {
            *escaped = ends_escaped(rest, *escaped);
            return None;
        }
        at += 8;
        if at >= words {
            at += clear(&bytes[at - 1..], 1, stops_after);
            words = at + BLOCK;
        }
        *escaped = bytes[at - 1] == b'\\';
    }
}

/// Returns whether the byte after `bytes`, which contain no stop, is escaped.
#[inline]
fn ends_escaped(bytes: &[u8], escaped: bool) -> bool {
    bytes.last().map_or(escaped, |&last| last == b'\\')
}

/// Returns the top bit of each byte of `word` that is an unescaped quote, an escaped backslash, or
/// a line break, and perhaps of bytes after the first of them.
#[inline]
fn stops(word: u64, escaped: bool) -> u64 {
    let backslashes = equal(word, b'\\') << 8 | u64::from(escaped) << 7;
    let swapped = word ^ (backslashes - (backslashes >> 6));
    near(swapped, b'"') | near(word, b'\n')
}

/// Returns whether `byte` is a stop after `before`, which is not escaped.
#[inline]
fn stops_after(before: u8, byte: u8) -> bool {
    let swap = if before == b'\\' { SWAP } else { 0 };
    (byte ^ swap == b'"') | (byte == b'\n')
}

/// Swaps a quote and a backslash: after a backslash, the backslash is the byte that needs a closer
/// look.
const SWAP: u8 = b'"' ^ b'\\';

const _: () = assert!(SWAP == 0x80 - (0x80 >> 6), "words derive it from a top bit in this way");
