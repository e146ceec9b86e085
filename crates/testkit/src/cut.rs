//! Ways to cut a text into chunks.
//!
//! This module cuts bytes and characters, wherever delimiters are.

/// Returns pieces of `n` bytes, which may cut characters.
pub fn by_bytes<T: AsRef<[u8]> + ?Sized>(text: &T, n: usize) -> Vec<&[u8]> {
    text.as_ref().chunks(n.max(1)).collect()
}

/// Returns the single characters.
pub fn by_chars(text: &str) -> Vec<&str> {
    text.split_inclusive(|_: char| true).collect()
}

/// Returns every way to cut `text` in two between characters.
pub fn cuts(text: &str) -> impl Iterator<Item = (&str, &str)> {
    (0..=text.len()).filter(|&at| text.is_char_boundary(at)).map(|at| text.split_at(at))
}

/// Returns pieces of 1 to 7 bytes, the same for the same seed.
pub fn random_bytes<T: AsRef<[u8]> + ?Sized>(text: &T, seed: u64) -> Vec<&[u8]> {
    let mut random = Random(seed);
    let mut rest = text.as_ref();
    let mut pieces = Vec::new();
    while !rest.is_empty() {
        let (piece, more) = rest.split_at(random.up_to(7).min(rest.len()));
        pieces.push(piece);
        rest = more;
    }
    pieces
}

/// Returns pieces of 1 to 7 bytes that do not cut characters, the same for the same seed.
pub fn random_chars(text: &str, seed: u64) -> Vec<&str> {
    let mut random = Random(seed);
    let mut rest = text;
    let mut pieces = Vec::new();
    while !rest.is_empty() {
        let (piece, more) = rest.split_at(rest.ceil_char_boundary(random.up_to(7).min(rest.len())));
        pieces.push(piece);
        rest = more;
    }
    pieces
}

/// Returns a seed that depends only on the bytes: their FNV-1a hash.
pub fn seed(bytes: &[u8]) -> u64 {
    let mix = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, mix)
}

/// The generator Splitmix64.
struct Random(u64);

impl Random {
    /// Returns a number from 1 to `most`.
    fn up_to(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) as usize % most + 1
    }
}
