use memchr::memchr;

use crate::block::{BLOCK, clear};
use crate::word::{first_of, load, load_last, near};

/// Where `first`, the first character of every delimiter, next begins.
#[inline]
pub(crate) fn find<const N: usize>(first: [u8; N], bytes: &[u8]) -> Option<usize> {
    // In a small chunk, or where the next is near, a call costs more than it finds.
    let hits = near(load(bytes), first[0]);
    let at = first_of(hits);
    match bytes.len() {
        _ if hits != 0 && bytes[at..].starts_with(&first) => Some(at),
        0..=8 if hits == 0 => None,
        9..=16 if hits | near(load_last(bytes), first[0]) == 0 => None,
        _ => find_far(first, bytes),
    }
}

// Inlined it would make `find` save every register.
#[inline(never)]
fn find_far<const N: usize>(first: [u8; N], bytes: &[u8]) -> Option<usize> {
    let mut at = memchr(first[0], bytes)?;
    if bytes[at..].starts_with(&first) {
        return Some(at);
    }
    // Another character begins with the same byte, as `°` does with that of `§`. Such stand
    // together, so from here on it is the whole of the first that is searched for.
    let begins = |one, last| (one == first[0]) & (last == first[N - 1]);
    // Up to here words are better than a block: one that has a hit is looked at only once more.
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
