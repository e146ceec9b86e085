//! The moment at which a word is written, as a word.
//!
//! A word has four letters and a space, which is about the size of a token.

use std::time::SystemTime;

/// A moment that all processes of a machine have in common, in tenths of a millisecond. It begins again
/// after 167 seconds.
#[derive(Clone, Copy)]
pub(crate) struct Stamp(u32);

impl Stamp {
    pub(crate) fn now() -> Self {
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        Self((since.as_micros() / 100 % u128::from(PERIOD)) as u32)
    }

    /// Reads the moment that a word says.
    pub(crate) fn parse(word: &str) -> Option<Self> {
        let is_stamp = word.len() == LETTERS;
        is_stamp.then(|| u32::from_str_radix(word, RADIX).ok()).flatten().map(Self)
    }

    pub(crate) fn word(self) -> String {
        let digits = (0..LETTERS as u32).rev().map(|place| self.0 / RADIX.pow(place) % RADIX);
        digits.filter_map(|digit| char::from_digit(digit, RADIX)).collect()
    }

    /// Returns the tenths of a millisecond since an earlier moment.
    pub(crate) const fn since(self, earlier: Self) -> u32 {
        (self.0 + PERIOD - earlier.0) % PERIOD
    }

    /// Returns a number that is another one at each start.
    pub(crate) const fn chance(self) -> u32 {
        self.0
    }
}

const LETTERS: usize = 4;
const RADIX: u32 = 36;
const PERIOD: u32 = RADIX.pow(LETTERS as u32);
