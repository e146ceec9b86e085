//! A search over 8 bytes at once, as an integer whose lowest byte is the first one.

/// Loads the first 8 bytes; missing ones are zeros.
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

/// Loads the last 8 bytes; there must be at least 8.
#[inline]
pub(crate) fn load_last(bytes: &[u8]) -> u64 {
    bytes.last_chunk().map_or(0, |word| u64::from_le_bytes(*word))
}

/// Returns the top bit of each byte that equals `byte`, and perhaps of bytes after the first of
/// them.
#[inline]
pub(crate) fn near(word: u64, byte: u8) -> u64 {
    let zero = word ^ every(byte);
    zero.wrapping_sub(every(1)) & !zero & every(0x80)
}

/// Returns the top bit of each byte that equals `byte`, and of no other.
#[inline]
pub(crate) fn equal(word: u64, byte: u8) -> u64 {
    let zero = word ^ every(byte);
    !(((zero & every(0x7f)) + every(0x7f)) | zero) & every(0x80)
}

/// Returns `byte` eight times.
#[inline]
pub(crate) const fn every(byte: u8) -> u64 {
    u64::from_le_bytes([byte; 8])
}

/// Returns the position of the first byte with a bit set.
#[inline]
pub(crate) fn first_of(hits: u64) -> usize {
    hits.trailing_zeros() as usize / 8
}
