use crate::block::{BLOCK, clear};
use crate::word::{first_of, load, load_last, near};

/// Where `first`, the first character of every marker, next begins.
#[inline]
pub(crate) fn find<const N: usize>(first: [u8; N], bytes: &[u8]) -> Option<usize> {
    // In a small chunk a call costs more than it finds.
    match bytes.len() {
        0..=8 if near(load(bytes), first[0]) == 0 => None,
        9..=16 if near(load(bytes), first[0]) | near(load_last(bytes), first[0]) == 0 => None,
        _ => find_far(first, bytes),
    }
}

fn find_far<const N: usize>(first: [u8; N], bytes: &[u8]) -> Option<usize> {
    let mut at = 0;
    // Up to here words are better than a block: one that has a hit is looked at only once.
    let mut words = 0;
    loop {
        let hits = near(load(&bytes[at..]), first[0]);
        if hits == 0 {
            at += 8;
        } else {
            at += first_of(hits);
            if bytes[at..].starts_with(&first) {
                return Some(at);
            }
            at += 1;
        }
        if at >= bytes.len() {
            return None;
        }
        if at >= words {
            let begins = |one, last| (one == first[0]) & (last == first[N - 1]);
            at += clear(&bytes[at..], N - 1, begins);
            words = at + BLOCK;
        }
    }
}
