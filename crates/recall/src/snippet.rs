//! The part of a text around the words that were searched for.
//!
//! This module handles text only, and the positions of matches.

use crate::matches::TermMatch;

/// Returns at most `limit` characters of a text, on one line, where most of the terms are. `…`
/// marks where the text continues.
pub(crate) fn snippet(text: &str, matches: &[TermMatch], limit: usize) -> String {
    let is_short = text.char_indices().nth(limit).is_none();
    let found = if is_short { 0 } else { densest(matches, limit) };
    // A quarter of the snippet comes before the word.
    let before = text[..found].char_indices().rev().take(limit / 4).last();
    let start = before.map_or(found, |(at, _)| at);
    let start = match text[start..found].find(char::is_whitespace) {
        // Whole words, unless that leaves nothing.
        Some(space) if start > 0 => start + space,
        _ => start,
    };
    let (line, is_cut) = one_line(&text[start..], limit);
    let mark = |is_cut| if is_cut { "…" } else { "" };
    format!("{}{line}{}", mark(start > 0), mark(is_cut))
}

/// Returns the beginning of the part of the text that has words for the most terms.
fn densest(matches: &[TermMatch], limit: usize) -> usize {
    let mut sorted: Vec<_> = matches.iter().collect();
    sorted.sort_by_key(|found| found.range.start);
    let mut best = (0.0, 0);
    for (index, first) in sorted.iter().enumerate() {
        let end = first.range.start + limit * 3 / 4;
        let near = sorted[index..].iter().take_while(|found| found.range.end <= end);
        let mut of_terms: Vec<(usize, f64)> = Vec::new();
        for found in near {
            match of_terms.iter_mut().find(|(term, _)| *term == found.term) {
                Some((_, likeness)) => *likeness = found.likeness.max(*likeness),
                None => of_terms.push((found.term, found.likeness)),
            }
        }
        let value: f64 = of_terms.iter().map(|(_, likeness)| likeness).sum();
        if value > best.0 {
            best = (value, first.range.start);
        }
    }
    best.1
}

/// Returns the beginning of a text with single spaces, and whether it was cut.
fn one_line(text: &str, limit: usize) -> (String, bool) {
    let mut line = String::new();
    let mut length = 0;
    for word in text.split_whitespace() {
        if length > 0 {
            line.push(' ');
            length += 1;
        }
        for char in word.chars() {
            if length >= limit {
                return (line.trim_end().to_owned(), true);
            }
            line.push(char);
            length += 1;
        }
    }
    (line, false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matches::term_matches;
    use crate::terms::query_terms;

    fn around(text: &str, words: &str, limit: usize) -> String {
        snippet(text, &term_matches(text, &query_terms(words)), limit)
    }

    #[test]
    fn short_text_is_complete_on_one_line() {
        assert_eq!(around("a\n  b\tc", "b", 10), "a b c");
        assert_eq!(around("", "b", 10), "");
        assert_eq!(around("nothing of it", "whale", 100), "nothing of it");
    }

    #[test]
    fn a_long_text_is_cut_around_the_word() {
        let text = format!("{} the Whale swims {}", "before ".repeat(50), "after ".repeat(50));
        let cut = around(&text, "whale", 40);
        assert_eq!(cut, "…the Whale swims after after after after…");
        for limit in 8..20 {
            let cut = around(&"a ".repeat(50), "a", limit);
            assert!(cut.chars().count() <= limit + 2, "{cut}");
        }
    }

    #[test]
    fn the_part_with_most_words_is_shown() {
        let text = format!("port {} the port of the server {}", "x ".repeat(300), "y ".repeat(300));
        assert!(around(&text, "server port", 60).contains("the port of the server"));
    }

    #[test]
    fn case_folding_keeps_snippet_positions() {
        let text = format!("{} Ärger", "İ".repeat(200));
        assert!(around(&text, "ärger", 40).contains("Ärger"));
        assert!(!around(&"ß".repeat(500), "x", 40).is_empty());
    }
}
