//! The rows of a difference: lines that were added and removed, with their numbers.
//!
//! This module formats the hunks of a unified diff. Its caller names the files, and reports lines
//! that do not fit.

use unicode_segmentation::UnicodeSegmentation as _;

use crate::columns::columns;
use crate::{Line, Style, TextRole};

/// The look of a difference: its width, its length and its characters.
///
/// ```
/// use silcrow_term::{DiffLook, DiffRows};
///
/// let look = DiffLook::new(40).with_most(1);
/// let shown = DiffRows::new("@@ -1,2 +1,2 @@\n-old();\n+new();\n", &look);
/// assert_eq!((shown.rows.len(), shown.hidden), (1, 1));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct DiffLook {
    /// The number of columns of a row.
    pub columns: usize,
    /// The number of lines of the difference that are shown.
    pub most: usize,
    /// The number of columns before the numbers.
    pub indent: usize,
    /// Whether the terminal has no Unicode.
    pub ascii: bool,
}

/// The rows of a difference, and the number of omitted lines.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct DiffRows {
    /// The rows.
    pub rows: Vec<Line>,
    /// The number of lines of the difference that have no row.
    pub hidden: usize,
}

impl DiffLook {
    /// Creates the look of a difference of any length.
    pub const fn new(columns: usize) -> Self {
        Self { columns, most: usize::MAX, indent: 2, ascii: false }
    }

    /// Sets the number of lines that are shown.
    #[must_use]
    pub const fn with_most(self, most: usize) -> Self {
        Self { most, ..self }
    }

    /// Sets whether the terminal has no Unicode.
    #[must_use]
    pub const fn with_ascii(self, ascii: bool) -> Self {
        Self { ascii, ..self }
    }
}

impl DiffRows {
    /// Makes the rows of the hunks of a unified diff. Each line has its number in the file, a sign
    /// and a colour; one that was removed has its number in the file before. A long line continues
    /// on further rows, up to four.
    ///
    /// ```
    /// use silcrow_term::{DiffLook, DiffRows};
    ///
    /// let hunks = "@@ -9,2 +9,2 @@\n fn main() {\n-    old();\n+    new();\n";
    /// let shown = DiffRows::new(hunks, &DiffLook::new(40));
    /// let rows: Vec<_> = shown.rows.iter().map(|row| row.text().to_owned()).collect();
    /// assert_eq!(rows, ["   9   fn main() {", "  10 -     old();", "  10 +     new();"]);
    /// ```
    pub fn new(hunks: &str, look: &DiffLook) -> Self {
        let lines: Vec<_> = numbered(hunks).collect();
        let most = lines.iter().filter_map(|line| line.number).max().unwrap_or_default();
        let digits = if look.columns < NARROW { 0 } else { most.to_string().len() };
        let mut shown = Self::default();
        let mut number = 0;
        for line in &lines {
            if line.kind != LineKind::Gap {
                number += 1;
            }
            if number > look.most {
                break;
            }
            shown.rows.extend(line.rows(digits, look));
        }
        let all = lines.iter().filter(|line| line.kind != LineKind::Gap).count();
        shown.hidden = all.saturating_sub(look.most);
        if shown.hidden > 0 && lines.iter().any(|line| line.kind == LineKind::Gap) {
            let is_gap = |row: &Line| matches!(row.text().trim(), "⋮" | ":");
            while shown.rows.last().is_some_and(is_gap) {
                shown.rows.pop();
            }
        }
        shown
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LineKind {
    Same,
    Added,
    Removed,
    /// A remark about the line before.
    Remark,
    /// Lines that are the same are left out here.
    Gap,
}

/// A line of a difference.
struct DiffLine<'a> {
    kind: LineKind,
    number: Option<usize>,
    text: &'a str,
}

impl DiffLine<'_> {
    fn rows(&self, digits: usize, look: &DiffLook) -> Vec<Line> {
        let indent = " ".repeat(look.indent);
        let (sign, signed, style) = match self.kind {
            LineKind::Same => ("", "  ", Style::PLAIN.dim()),
            LineKind::Added => ("+", "+ ", Style::new(TextRole::Added)),
            LineKind::Removed => ("-", "- ", Style::new(TextRole::Removed)),
            LineKind::Remark => ("", "  ", Style::PLAIN.dim().italic()),
            LineKind::Gap => {
                let sign = if look.ascii { ":" } else { "⋮" };
                let gap = format!("{indent}{sign:>digits$}");
                return vec![Line::styled(&gap, Style::PLAIN.dim())];
            }
        };
        let mut gutter = Line::styled(&indent, Style::PLAIN);
        if digits > 0 {
            let number = self.number.map_or_else(String::new, |number| number.to_string());
            gutter.push(&format!("{number:>digits$} "), Style::PLAIN.dim());
        }
        let blank = " ".repeat(gutter.width() + 2);
        let room = look.columns.saturating_sub(blank.len()).max(1);
        let text = Line::styled(self.text, style);
        let text = text.shortened(room.saturating_mul(MOST_ROWS));
        gutter.push(if text.is_empty() { sign } else { signed }, style);
        let mut pieces = pieces(text.text(), room).into_iter();
        let first = gutter.with_text(pieces.next().unwrap_or_default(), style);
        let others = pieces.map(|piece| Line::styled(&blank, Style::PLAIN).with_text(piece, style));
        std::iter::once(first).chain(others).collect()
    }
}

/// Cuts a text into pieces of at most this many columns. A character that is wider is a piece.
fn pieces(text: &str, room: usize) -> Vec<&str> {
    let (mut pieces, mut start, mut taken) = (Vec::new(), 0, 0);
    for (at, grapheme) in text.grapheme_indices(true) {
        let wide = columns(grapheme);
        if taken + wide > room && at > start {
            pieces.push(&text[start..at]);
            (start, taken) = (at, 0);
        }
        taken += wide;
    }
    pieces.push(&text[start..]);
    pieces
}

/// Returns the lines of hunks with their numbers.
fn numbered(hunks: &str) -> impl Iterator<Item = DiffLine<'_>> {
    let (mut old, mut new, mut is_first) = (0, 0, true);
    hunks.split_terminator('\n').filter_map(move |line| {
        let text = line.get(1..).unwrap_or_default();
        let (kind, number) = match line.as_bytes().first() {
            Some(b'@') => {
                (old, new) = starts(line);
                let kind = LineKind::Gap;
                // Nothing is omitted before a hunk at the beginning of a file.
                let is_shown = !std::mem::replace(&mut is_first, false);
                return is_shown.then_some(DiffLine { kind, number: None, text: "" });
            }
            Some(b'+') => (LineKind::Added, next(&mut new)),
            Some(b'-') => (LineKind::Removed, next(&mut old)),
            Some(b'\\') => (LineKind::Remark, None),
            _ => {
                next(&mut old);
                (LineKind::Same, next(&mut new))
            }
        };
        Some(DiffLine { kind, number, text })
    })
}

fn next(number: &mut usize) -> Option<usize> {
    let this = *number;
    *number += 1;
    Some(this)
}

/// Returns the first numbers of a hunk in the two files, from its head `@@ -1,2 +3,4 @@`.
fn starts(head: &str) -> (usize, usize) {
    let number = |sign: char| {
        let word = head.split(' ').find_map(|word| word.strip_prefix(sign))?;
        word.split(',').next()?.parse().ok()
    };
    (number('-').unwrap_or(1), number('+').unwrap_or(1))
}

/// The number of columns below which lines have no numbers.
const NARROW: usize = 24;

/// The number of rows of a long line.
const MOST_ROWS: usize = 4;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Theme;

    fn shown(hunks: &str, look: DiffLook) -> (Vec<String>, usize) {
        let shown = DiffRows::new(hunks, &look);
        (shown.rows.iter().map(|row| row.text().to_owned()).collect(), shown.hidden)
    }

    const HUNKS: &str = "@@ -1,3 +1,2 @@\n one\n-two\n three\n@@ -99,2 +98,3 @@\n a\n+b\n c\n";

    #[test]
    fn lines_have_their_numbers_and_hunks_are_apart() {
        let (rows, hidden) = shown(HUNKS, DiffLook::new(80));
        let expected = [
            "    1   one",
            "    2 - two",
            "    2   three",
            "    ⋮",
            "   98   a",
            "   99 + b",
            "  100   c",
        ];
        assert_eq!((&rows[..], hidden), (&expected.map(str::to_owned)[..], 0));
        let (rows, hidden) = shown(HUNKS, DiffLook::new(80).with_most(3));
        assert_eq!((rows.len(), hidden), (3, 3));
        let (rows, _) = shown(HUNKS, DiffLook::new(20).with_ascii(true));
        assert_eq!(rows[..4], ["    one", "  - two", "    three", "  :"]);
    }

    #[test]
    fn long_and_hostile_lines_are_safe() {
        let long = "x".repeat(1_000);
        let hunks = format!(
            "@@ -1 +1 @@\n-\u{1b}[2Jgone\ttab\u{202e}\n+{long}\n\\ No newline at end of file\n"
        );
        for columns in [1, 10, 23, 24, 40, 60, 80, 120] {
            let shown = DiffRows::new(&hunks, &DiffLook::new(columns));
            assert!(shown.rows.len() <= 2 + 3 * MOST_ROWS + 40, "{columns}");
            for row in &shown.rows {
                assert!(row.width() <= columns.max(6), "{columns}: {:?}", row.text());
                assert!(!row.text().contains(['\u{1b}', '\t', '\u{202e}']));
            }
        }
        let colours = DiffRows::new("@@ -1 +1 @@\n-a\n+b\n", &DiffLook::new(40));
        let ansi = |theme: &Theme| -> Vec<_> {
            colours.rows.iter().map(|row| row.to_ansi(theme)).collect()
        };
        assert_ne!(ansi(&Theme::DARK), ansi(&Theme::PLAIN));
        assert_eq!(ansi(&Theme::PLAIN), ["  1 - a", "  1 + b"]);
    }
}
