//! Detecting the encoding of a text from before Unicode: by its own declaration, or by the
//! characters that its bytes are likely to be.
//!
//! This module reads bytes that are not UTF-8, and have no byte order mark.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{DecoderResult, Encoding};

/// Returns the encoding of bytes. If `more` bytes follow, an incomplete character at the end does not
/// count.
pub(crate) fn find(bytes: &[u8], more: bool) -> Option<&'static Encoding> {
    let fits = |encoding: &&'static Encoding| has_all(encoding, bytes, more);
    let guess = || Some(guessed(bytes, more)).filter(|found| has_words(found, bytes)).filter(fits);
    declared(bytes).filter(fits).or_else(guess)
}

/// Returns whether bytes may be words. In most encodings every byte is a character, but a text
/// without blanks and other ASCII has no words.
fn has_words(encoding: &'static Encoding, bytes: &[u8]) -> bool {
    !encoding.is_single_byte() || bytes.len() < LONGEST_WORD || bytes.iter().any(u8::is_ascii)
}

/// Returns the encoding that a text declares in its first lines, in the ways of XML, HTML, CSS,
/// Python, Ruby and editors.
fn declared(bytes: &[u8]) -> Option<&'static Encoding> {
    let start = &bytes[..bytes.len().min(DECLARED_IN)];
    let start = String::from_utf8_lossy(start).to_ascii_lowercase();
    let is_markup = start.trim_start().starts_with('<');
    // In other texts the word is in one of the first two lines.
    let two_lines = start.split_inclusive('\n').take(2).map(str::len).sum();
    let place = if is_markup { &*start } else { &start[..two_lines] };
    WORDS.iter().find_map(|word| {
        let mut after = place.match_indices(word).map(|(at, _)| &place[at + word.len()..]);
        after.find_map(|after| {
            let value = after.trim_start();
            let value = value
                .strip_prefix(['=', ':'])
                .or_else(|| (*word == "@charset").then_some(value))?;
            let value = value.trim_start().trim_start_matches(['"', '\'']);
            let end =
                value.find(|char: char| !char.is_ascii_alphanumeric() && !"-_.:".contains(char));
            let label = &value[..end.unwrap_or(value.len())];
            let found = Encoding::for_label(label.as_bytes())?;
            (found.is_ascii_compatible() && found != encoding_rs::UTF_8).then_some(found)
        })
    })
}

/// Returns the encoding that the characters speak for. The bytes around the first that is not ASCII
/// decide.
fn guessed(bytes: &[u8], more: bool) -> &'static Encoding {
    let first = bytes.iter().position(|byte| !byte.is_ascii()).unwrap_or(0);
    let begin = first.saturating_sub(BEFORE);
    let end = bytes.len().min(begin + MOST_GUESSED);
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(&bytes[begin..end], end == bytes.len() && !more);
    detector.guess(None, Utf8Detection::Deny)
}

/// Returns whether all bytes are characters of an encoding.
fn has_all(encoding: &'static Encoding, bytes: &[u8], more: bool) -> bool {
    let mut decoder = encoding.new_decoder_without_bom_handling();
    let mut buffer = [0; 4096];
    let mut rest = bytes;
    loop {
        let (result, read, _) =
            decoder.decode_to_utf8_without_replacement(rest, &mut buffer, !more);
        rest = &rest[read..];
        match result {
            DecoderResult::InputEmpty => return true,
            DecoderResult::OutputFull => {}
            DecoderResult::Malformed(..) => return false,
        }
    }
}

/// The length of the longest text without blanks, in bytes.
const LONGEST_WORD: usize = 40;

/// The words before the name of an encoding.
const WORDS: [&str; 5] = ["encoding", "charset", "@charset", "coding", "fileencoding"];

/// The number of bytes in which a declaration of the encoding is searched.
const DECLARED_IN: usize = 1024;

/// The number of bytes that a guess takes before the first one that is not ASCII, and in total.
const BEFORE: usize = 1024;
const MOST_GUESSED: usize = 256 << 10;
