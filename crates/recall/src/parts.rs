//! The parts of text that are words: letters and digits between other characters, and the parts of
//! names such as `fooBar`.
//!
//! This module handles characters, whatever the language.

use std::ops::Range;

/// Returns the places of the words of a text, each of them whole: `foo`, `bar`, and `fooBaz` of
/// `foo_bar/fooBaz`.
pub(crate) fn words(text: &str) -> impl Iterator<Item = Range<usize>> {
    split(text, |before, char, _| is_letter(before) != is_letter(char))
}

/// Returns the places of the parts of the words of a text: `foo` and `Baz` of `fooBaz`.
pub(crate) fn parts(text: &str) -> impl Iterator<Item = Range<usize>> {
    split(text, is_border)
}

/// Returns the smallest range that begins and ends with a part and contains `inner`.
pub(crate) fn around(text: &str, inner: Range<usize>) -> Range<usize> {
    let is_border_at = |at: usize| {
        let mut after = text[at..].chars();
        match (text[..at].chars().next_back(), after.next()) {
            (Some(before), Some(char)) => is_border(before, char, after.next()),
            _ => true,
        }
    };
    let mut start = inner.start;
    while !is_border_at(start) {
        start -= text[..start].chars().next_back().map_or(1, char::len_utf8);
    }
    let mut end = inner.end;
    while !is_border_at(end) {
        end += text[end..].chars().next().map_or(1, char::len_utf8);
    }
    start..end
}

fn split(
    text: &str,
    is_end: impl Fn(char, char, Option<char>) -> bool,
) -> impl Iterator<Item = Range<usize>> {
    let mut chars = text.char_indices().peekable();
    std::iter::from_fn(move || {
        let (start, mut last) = chars.find(|(_, char)| is_letter(*char))?;
        let mut end = start + last.len_utf8();
        while let Some(&(at, char)) = chars.peek() {
            let next = text[at + char.len_utf8()..].chars().next();
            if is_end(last, char, next) {
                break;
            }
            chars.next();
            last = char;
            end = at + char.len_utf8();
        }
        Some(start..end)
    })
}

/// Returns whether a part ends between two characters.
fn is_border(before: char, char: char, next: Option<char>) -> bool {
    if !is_letter(before) || !is_letter(char) {
        return is_letter(before) != is_letter(char) || !is_letter(char);
    }
    let is_hump = before.is_lowercase() && char.is_uppercase();
    // `HTTPServer` has the parts `HTTP` and `Server`.
    let is_last_capital =
        before.is_uppercase() && char.is_uppercase() && next.is_some_and(char::is_lowercase);
    is_hump || is_last_capital
}

/// Returns whether a character is in words. An accent belongs to its letter.
fn is_letter(char: char) -> bool {
    char.is_alphanumeric() || matches!(char, '\u{300}'..='\u{36f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str) -> Vec<&str> {
        parts(text).map(|range| &text[range]).collect()
    }

    #[test]
    fn names_and_paths_have_parts() {
        assert_eq!(cut("file_read src/main.rs"), ["file", "read", "src", "main", "rs"]);
        assert_eq!(cut("fooBar HTTPServer utf8"), ["foo", "Bar", "HTTP", "Server", "utf8"]);
        assert_eq!(cut("don't, a\u{308}rger!"), ["don", "t", "a\u{308}rger"]);
        assert_eq!(cut("日本語 の文"), ["日本語", "の文"]);
        assert_eq!(cut(" \"*%_ "), [] as [&str; 0]);
        let text = "x fooBar_baz";
        let whole: Vec<_> = words(text).map(|range| &text[range]).collect();
        assert_eq!(whole, ["x", "fooBar", "baz"]);
    }

    #[test]
    fn surrounding_word_ends_at_part_boundaries() {
        let text = "redeploying fooBar";
        assert_eq!(&text[around(text, 2..5)], "redeploying");
        assert_eq!(&text[around(text, 16..17)], "Bar");
        assert_eq!(&text[around(text, 13..17)], "fooBar");
    }
}
