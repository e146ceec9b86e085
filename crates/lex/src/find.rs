use memchr::memchr;

/// In a short text a call costs more than it finds.
#[inline]
pub(crate) fn find(byte: u8, bytes: &[u8]) -> Option<usize> {
    if bytes.len() >= 32 {
        return memchr(byte, bytes);
    }
    let mut rest = bytes;
    while let Some((word, more)) = rest.split_first_chunk() {
        let hits = equal(u64::from_le_bytes(*word), byte);
        if hits != 0 {
            return Some(bytes.len() - rest.len() + first_of(hits));
        }
        rest = more;
    }
    let hits = equal(tail(rest), byte);
    (hits != 0).then(|| bytes.len() - rest.len() + first_of(hits))
}

/// How many bytes of a JSON string there are before its next quote, its next control character, or
/// a backslash that has no other character behind it.
#[inline]
pub(crate) fn plain(bytes: &[u8]) -> usize {
    let mut at = 0;
    loop {
        let hits = match bytes[at..].first_chunk() {
            Some(word) => stops(u64::from_le_bytes(*word)),
            None if at == bytes.len() => return at,
            // The zeros that fill it up stop, too.
            None => stops(tail(&bytes[at..])),
        };
        if hits == 0 {
            at += 8;
            continue;
        }
        at += first_of(hits);
        match bytes[at..] {
            [b'\\', next, ..] if next != b'\n' => at += 2,
            _ => return at,
        }
    }
}

/// Fewer than 8 bytes, filled up with zeros.
#[inline]
fn tail(bytes: &[u8]) -> u64 {
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

/// The top bit of each byte of `word` that is `byte`, and perhaps of bytes behind the first such.
#[inline]
fn equal(word: u64, byte: u8) -> u64 {
    let zero = word ^ (LOW * u64::from(byte));
    zero.wrapping_sub(LOW) & !zero & (LOW << 7)
}

/// The top bit of each byte of `word` that is a quote, a backslash or a control character, and
/// perhaps of bytes behind the first such.
#[inline]
fn stops(word: u64) -> u64 {
    // Next to the control characters stands now the quote.
    let low = word ^ (LOW * 0x02);
    let back = word ^ (LOW * u64::from(b'\\'));
    (low.wrapping_sub(LOW * 0x21) & !low | back.wrapping_sub(LOW) & !back) & (LOW << 7)
}

#[inline]
fn first_of(hits: u64) -> usize {
    hits.trailing_zeros() as usize / 8
}

const LOW: u64 = 0x0101_0101_0101_0101;
