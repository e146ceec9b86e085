//! Eight bytes at once, in a plain integer: the first of them is the lowest.

/// The first 8 bytes; what is missing is zeros.
#[inline]
pub(crate) fn load(bytes: &[u8]) -> u64 {
    match bytes.first_chunk() {
        Some(word) => u64::from_le_bytes(*word),
        None => load_short(bytes),
    }
}

#[inline]
fn load_short(bytes: &[u8]) -> u64 {
    let word = |four: &[u8; 4]| u64::from(u32::from_le_bytes(*four));
    match (bytes.first_chunk(), bytes.last_chunk()) {
        (Some(front), Some(back)) => word(front) | word(back) << (8 * (bytes.len() & 3)),
        _ => match *bytes {
            [a] => u64::from(a),
            [a, b] => u64::from(u16::from_le_bytes([a, b])),
            [a, b, c] => u64::from(u32::from_le_bytes([a, b, c, 0])),
            _ => 0,
        },
    }
}

/// The last 8 bytes of at least as many.
#[inline]
pub(crate) fn load_last(bytes: &[u8]) -> u64 {
    bytes.last_chunk().map_or(0, |word| u64::from_le_bytes(*word))
}

/// The top bit of each byte that is `byte`, and perhaps of bytes behind the first such.
#[inline]
pub(crate) fn near(word: u64, byte: u8) -> u64 {
    let zero = word ^ every(byte);
    zero.wrapping_sub(every(1)) & !zero & every(0x80)
}

/// The top bit of each byte that is `byte`, and no other.
#[inline]
pub(crate) fn equal(word: u64, byte: u8) -> u64 {
    let zero = word ^ every(byte);
    !(((zero & every(0x7f)) + every(0x7f)) | zero) & every(0x80)
}

/// `byte`, eight times.
#[inline]
pub(crate) const fn every(byte: u8) -> u64 {
    u64::from_le_bytes([byte; 8])
}

/// The place of the first byte that has a bit set.
#[inline]
pub(crate) fn first_of(hits: u64) -> usize {
    hits.trailing_zeros() as usize / 8
}
