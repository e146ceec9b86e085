use crate::block::{BLOCK, clear};
use crate::word::{equal, first_of, load, load_last, near};

/// Where the text of a JSON string stops: at the quote that ends it, or at a line break. `escaped`
/// says whether the first byte is escaped, and afterwards whether the byte where the search ended
/// is. For a chunk that is text of a string and mostly nothing else.
#[inline]
pub(crate) fn find_stop(bytes: &[u8], escaped: &mut bool) -> Option<usize> {
    // In a small chunk a call costs more than it finds.
    let goes_on = match bytes.len() {
        0..=8 => stops(load(bytes), *escaped) == 0,
        9..=16 => {
            let before = bytes[bytes.len() - 9] == b'\\';
            stops(load(bytes), *escaped) | stops(load_last(bytes), before) == 0
        }
        _ => false,
    };
    if !goes_on {
        return find_stop_far(bytes, 0, escaped);
    }
    *escaped = ends_escaped(bytes, *escaped);
    None
}

/// The same, where a string begins that may be a short one.
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

/// As `find_stop`, from `at`.
#[inline(never)]
fn find_stop_far(bytes: &[u8], mut at: usize, escaped: &mut bool) -> Option<usize> {
    // Up to here words are better than a block: a string is often short, and a block with a stop
    // is looked at only once.
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
            // A backslash that is escaped itself; more such pairs often follow.
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
            at += clear(&bytes[at - 1..], 1, stops_behind);
            words = at + BLOCK;
        }
        *escaped = bytes[at - 1] == b'\\';
    }
}

/// Of bytes without a stop.
#[inline]
fn ends_escaped(bytes: &[u8], escaped: bool) -> bool {
    bytes.last().map_or(escaped, |&last| last == b'\\')
}

/// The top bit of each byte of `word` that is a quote which is not escaped, a backslash which is,
/// or a line break, and perhaps of bytes behind the first such.
#[inline]
fn stops(word: u64, escaped: bool) -> u64 {
    let backslashes = equal(word, b'\\') << 8 | u64::from(escaped) << 7;
    let swapped = word ^ (backslashes - (backslashes >> 6));
    near(swapped, b'"') | near(word, b'\n')
}

/// Whether `byte` is such a stop behind the byte `before` it, if that is not escaped.
#[inline]
fn stops_behind(before: u8, byte: u8) -> bool {
    let swap = if before == b'\\' { SWAP } else { 0 };
    (byte ^ swap == b'"') | (byte == b'\n')
}

/// What makes a quote a backslash and a backslash a quote: behind a backslash they change places,
/// for there the backslash is what asks for a closer look.
const SWAP: u8 = b'"' ^ b'\\';

const _: () = assert!(SWAP == 0x80 - (0x80 >> 6), "this is how words make it of a top bit");
