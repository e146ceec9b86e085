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
        _ => load_tiny(bytes),
    }
}

/// Loads at most 3 bytes. The bytes in the middle and at the end may be the first one again, which
/// is cheaper than a jump by the length.
#[inline]
fn load_tiny(bytes: &[u8]) -> u64 {
    let Some(&front) = bytes.first() else { return 0 };
    let (middle, last) = (bytes.len() / 2, bytes.len() - 1);
    let at = |index: usize| u64::from(bytes[index]) << (8 * index);
    u64::from(front) | at(middle) | at(last)
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

#[cfg(test)]
mod tests {
    use super::load;

    #[test]
    fn first_bytes_load_with_zero_padding() {
        let bytes = [1, 2, 3, 4, 5, 6, 7, 8, 9];
        for length in 0..=bytes.len() {
            let mut word = [0; 8];
            let there = length.min(8);
            word[..there].copy_from_slice(&bytes[..there]);
            assert_eq!(load(&bytes[..length]), u64::from_le_bytes(word), "{length}");
        }
    }
}
