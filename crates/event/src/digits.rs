//! Numbers as decimal digits, two at once.

/// Writes the last digits of a number, with leading zeros if it is shorter.
pub(crate) fn write_digits(digits: &mut [u8], mut number: u64) {
    let (first, pairs) = digits.as_rchunks_mut::<2>();
    for pair in pairs.iter_mut().rev() {
        *pair = PAIRS[(number % 100) as usize];
        number /= 100;
    }
    if let [first] = first {
        *first = b'0' + (number % 10) as u8;
    }
}

/// The digits of the numbers below 100.
const PAIRS: [[u8; 2]; 100] = {
    let mut pairs = [[0; 2]; 100];
    let mut number = 0;
    while number < 100 {
        pairs[number] = [b'0' + (number / 10) as u8, b'0' + (number % 10) as u8];
        number += 1;
    }
    pairs
};
