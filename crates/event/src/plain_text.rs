//! Text that JSON has as it is: ASCII without quotes, backslashes and control characters.

/// Returns whether a text is a JSON string once it is between quotes. It looks at 8 bytes at once,
/// because most texts are plain.
pub(crate) fn is_plain(text: &str) -> bool {
    let (words, rest) = text.as_bytes().as_chunks::<8>();
    words.iter().all(|word| is_plain_word(u64::from_le_bytes(*word)))
        && rest.iter().all(|byte| matches!(byte, b' '..=b'~') && !matches!(byte, b'"' | b'\\'))
}

/// Returns whether all 8 bytes are plain.
const fn is_plain_word(word: u64) -> bool {
    let controls = below(word, 0x20);
    let quotes = below(word ^ every(b'"'), 1);
    let backslashes = below(word ^ every(b'\\'), 1);
    let deletes = below(word ^ every(0x7f), 1);
    (controls | quotes | backslashes | deletes | (word & every(0x80))) == 0
}

/// Returns a nonzero number if a byte of the word is below a limit of at most 128.
const fn below(word: u64, limit: u8) -> u64 {
    word.wrapping_sub(every(limit)) & !word & every(0x80)
}

/// Returns a byte eight times.
const fn every(byte: u8) -> u64 {
    u64::from_le_bytes([byte; 8])
}

#[cfg(test)]
mod tests {
    use super::is_plain;

    #[test]
    fn each_character_is_judged_alike_at_each_place() {
        for char in ('\0'..='\u{101}').chain(['\u{200b}', '…']) {
            let expected = matches!(char, ' '..='~') && !matches!(char, '"' | '\\');
            for length in 0..20 {
                for at in 0..=length {
                    let mut text = "a".repeat(length);
                    assert!(is_plain(&text));
                    text.insert(at, char);
                    assert_eq!(is_plain(&text), expected, "{text:?}");
                }
            }
        }
    }
}
