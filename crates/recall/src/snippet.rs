//! The part of a text around the words that were searched for.
//!
//! This module knows text only. Case is ignored as in the search of a store.

/// Returns at most `limit` characters of a text, on one line, around the first of the words that it
/// contains. `…` is where the text continues.
pub(crate) fn snippet(text: &str, words: &[String], limit: usize) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let found = first_match(&text, words).unwrap_or(0);
    // A quarter of the snippet comes before the word.
    let before = text[..found].char_indices().rev().take(limit / 4).last();
    let start = before.map_or(found, |(at, _)| at);
    let start = match text[start..found].find(' ') {
        // Whole words, unless that leaves nothing.
        Some(space) if start > 0 => start + space + 1,
        _ => start,
    };
    let end = text[start..].char_indices().nth(limit).map_or(text.len(), |(at, _)| start + at);
    let mark = |is_cut| if is_cut { "…" } else { "" };
    format!("{}{}{}", mark(start > 0), text[start..end].trim_end(), mark(end < text.len()))
}

/// Returns where the first of the words begins.
fn first_match(text: &str, words: &[String]) -> Option<usize> {
    // A character in lower case may have another length, so each byte remembers where it is from.
    let mut lower = String::with_capacity(text.len());
    let mut origins = Vec::with_capacity(text.len());
    for (at, char) in text.char_indices() {
        lower.extend(char.to_lowercase());
        origins.resize(lower.len(), at);
    }
    words.iter().filter_map(|word| lower.find(word.as_str())).min().map(|at| origins[at])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn around(text: &str, word: &str, limit: usize) -> String {
        snippet(text, &[word.to_owned()], limit)
    }

    #[test]
    fn a_short_text_is_whole_and_on_one_line() {
        assert_eq!(around("a\n  b\tc", "b", 10), "a b c");
        assert_eq!(around("", "b", 10), "");
        assert_eq!(around("nothing of it", "whale", 100), "nothing of it");
    }

    #[test]
    fn a_long_text_is_cut_around_the_word() {
        let text = format!("{} the Whale swims {}", "before ".repeat(50), "after ".repeat(50));
        let cut = around(&text, "whale", 40);
        assert_eq!(cut, "…the Whale swims after after after after…");
        assert!(cut.chars().count() <= 42);
    }

    #[test]
    fn characters_that_change_their_length_do_not_matter() {
        let text = format!("{} Ärger", "İ".repeat(200));
        assert!(around(&text, "ärger", 40).contains("Ärger"));
        assert!(!around(&"ß".repeat(500), "x", 40).is_empty());
    }
}
