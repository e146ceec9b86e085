//! Cuts plain text so that it fits on any terminal.
//!
//! A [`Line`](crate::Line) is measured as a modern terminal shows it. The functions here measure
//! text as the least favourable terminal does, for rows that no terminal may wrap: text to the
//! right of a gutter must not reach the left of it.
//!
//! ```
//! use silcrow_term::fit;
//!
//! // Some terminals show `→` in two columns.
//! assert_eq!(fit::width("a→b"), 4);
//! assert_eq!(fit::cut("one two three", 8, false), "one two…");
//! assert_eq!(fit::words("once, at most 60 s", 10), ["once, at", "most 60 s"]);
//! ```

use silcrow_sanitize::sanitize;

use crate::columns::most_columns;

pub use crate::columns::columns;

/// Returns the text as one line of at most `most` characters, safe to show: hidden characters are
/// shown as their numbers, and a line break as `⏎`. A `…` stands for the omitted part.
pub fn shortened(text: &str, most: usize) -> String {
    let line = sanitize(text).replace('\n', "⏎").replace('\t', " ");
    match line.char_indices().nth(most) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line,
    }
}

/// Returns the beginning or the end of one line of text, with an ellipsis, which takes one column,
/// if the text is wider than this many columns.
pub fn cut(text: &str, columns: usize, keeps_end: bool) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let room = columns.saturating_sub(1);
    let mut chars: Vec<char> = text.chars().collect();
    if keeps_end {
        chars.reverse();
    }
    let mut taken = 0;
    let fitting = chars.iter().take_while(|char| {
        taken += most_columns(**char);
        taken <= room
    });
    let mut kept: Vec<char> = fitting.copied().collect();
    match keeps_end {
        true => kept.push('…'),
        false => {
            kept.truncate(kept.len() - kept.iter().rev().take_while(|char| **char == ' ').count());
            kept.push('…');
        }
    }
    if keeps_end {
        kept.reverse();
    }
    kept.into_iter().collect()
}

/// Cuts one line of text into rows of at most this many columns. There is always one row.
pub fn rows(text: &str, columns: usize) -> impl Iterator<Item = &str> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest?;
        let (row, left) = text.split_at(fits(text, columns));
        rest = (!left.is_empty()).then_some(left);
        Some(row)
    })
}

/// Wraps words into rows of at most this many columns. A longer word is cut.
pub fn words(text: &str, columns: usize) -> Vec<String> {
    let mut rows_of = vec![String::new()];
    for word in text.split_inclusive(' ') {
        let last = rows_of.last_mut().expect("there is always a row");
        if last.is_empty() || width(last) + width(word.trim_end()) <= columns {
            last.push_str(word);
        } else {
            rows_of.push(word.to_owned());
        }
    }
    let cut = |row: &String| rows(row.trim_end(), columns).map(str::to_owned).collect::<Vec<_>>();
    rows_of.iter().flat_map(cut).collect()
}

/// Returns the maximum columns of a text on any terminal.
///
/// Terminals differ in characters that are wide in some fonts, and in those that join with others.
/// A row that is too long would be wrapped by the terminal, to the left of its gutter.
pub fn width(text: &str) -> usize {
    text.chars().map(most_columns).sum()
}

/// Returns the length in bytes of the beginning that fits, which is at least one character.
fn fits(text: &str, columns: usize) -> usize {
    let mut taken = 0;
    for (at, char) in text.char_indices() {
        taken += most_columns(char);
        if taken > columns && at > 0 {
            return at;
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_fit_the_width_without_loss() {
        let texts = ["", "a", "abcdef", "東京都に行く", "e\u{301}".repeat(9).leak(), "👩‍👩‍👧☀️ба│"];
        for text in texts {
            for columns in 2..12 {
                let all: Vec<_> = rows(text, columns).collect();
                assert_eq!(all.concat(), text);
                assert!(all.iter().all(|row| width(row) <= columns), "{columns} {all:?}");
                assert!(all.len() == 1 || all.iter().all(|row| !row.is_empty()));
            }
            assert_eq!(rows(text, 0).collect::<String>(), text, "it ends");
        }
    }

    #[test]
    fn words_stay_whole_where_they_fit() {
        assert_eq!(words("once, at most 60 s", 10), ["once, at", "most 60 s"]);
        assert_eq!(words("", 10), [""]);
        assert_eq!(words("abcdef gh", 4), ["abcd", "ef", "gh"]);
    }
}
