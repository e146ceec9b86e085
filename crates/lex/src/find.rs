//! The search for the first character of a delimiter, which is most of the lexer's work in text.
//!
//! The character has one or two bytes.

use memchr::memchr;

use crate::block::{BLOCK, clear};
use crate::word::{first_of, load, load_last, near};

/// Returns the next position of `first`, the first character of every delimiter.
#[inline]
pub(crate) fn find<const N: usize>(first: [u8; N], bytes: &[u8]) -> Option<usize> {
    // In a small chunk, or if the first hit is near, a call costs more than the search.
    let hits = near(load(bytes), first[0]);
    let at = first_of(hits);
    match bytes.len() {
        _ if hits != 0 && bytes[at..].starts_with(&first) => Some(at),
        0..=8 if hits == 0 => None,
        9..=16 if hits | near(load_last(bytes), first[0]) == 0 => None,
        _ => find_far(first, bytes),
    }
}

// If it were inlined, `find` would have to save every register.
#[inline(never)]
fn find_far<const N: usize>(first: [u8; N], bytes: &[u8]) -> Option<usize> {
    let mut at = memchr(first[0], bytes)?;
    if bytes[at..].starts_with(&first) {
        return Some(at);
    }
    // Another character begins with the same byte: `°` and `§` share one. Such characters often
    // occur together, so from here on the whole character is searched for.
    let begins = |one, last| (one == first[0]) & (last == first[N - 1]);
    // Up to this position words are faster than a block, which is searched again if it has a hit.
    let mut words = at;
    while at < bytes.len() {
        if at >= words {
            at += clear(&bytes[at..], N - 1, begins);
            words = at + BLOCK;
        }
        let hits = near(load(&bytes[at..]), first[0]);
        if hits == 0 {
            at += 8;
            continue;
        }
        at += first_of(hits);
        if bytes[at..].starts_with(&first) {
            return Some(at);
        }
        at += 1;
    }
    None
}
