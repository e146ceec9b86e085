//! The text after an `@` in a prompt: a name, bare, with `\` before its blanks or in quotation marks,
//! and perhaps lines of the file.
//!
//! This module reads text; its caller finds the file.

use std::borrow::Cow;

/// Lines of a file, from 1 on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "lines are named by the first and the last")]
pub struct MentionedLines {
    /// The first line.
    pub first: usize,
    /// The last line, which is not before the first.
    pub last: usize,
}

/// One way to read the text after an `@`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mention<'a> {
    /// The name of the file.
    pub(super) name: Cow<'a, str>,
    pub(super) lines: Option<MentionedLines>,
    /// The number of bytes after the `@` that belong to it.
    pub(super) length: usize,
}

/// Returns the ways to read the text after an `@`, in order of preference: a name may end with
/// punctuation or with text that looks like a range of lines.
pub(super) fn mentions(rest: &str) -> Vec<Mention<'_>> {
    if let Some(quoted) = quoted(rest) {
        return quoted;
    }
    let end = bare_end(rest);
    let mut word = &rest[..end];
    let mut found = Vec::new();
    while !word.is_empty() {
        let mut push = |text: &str, lines| {
            let raw = &rest[..text.len()];
            let mention = |name| Mention { name, lines, length: word.len() };
            found.push(mention(Cow::Borrowed(raw)));
            if raw.contains('\\') {
                found.push(mention(Cow::Owned(unescaped(raw))));
            }
        };
        push(word, None);
        if let Some((name, lines)) = with_lines(word) {
            push(name, Some(lines));
        }
        match word.strip_suffix(PUNCTUATION) {
            Some(shorter) => word = shorter,
            None => break,
        }
    }
    found
}

/// Returns a name as it is written after an `@`.
///
/// ```
/// use silcrow_session::prompt::{unescaped, written};
///
/// assert_eq!(written("my notes.md"), r"my\ notes.md");
/// assert_eq!(unescaped(r"my\ notes.md"), "my notes.md");
/// ```
pub fn written(name: &str) -> String {
    let is_escaped = |char: char| char.is_whitespace() || char == '\\';
    let escape = |char: char| is_escaped(char).then_some('\\').into_iter().chain([char]);
    name.chars().flat_map(escape).collect()
}

/// Returns a text without each `\` that escapes a character in it.
pub fn unescaped(text: &str) -> String {
    let (mut out, mut chars) = (String::with_capacity(text.len()), text.chars());
    while let Some(char) = chars.next() {
        match char {
            '\\' => out.push(chars.next().unwrap_or('\\')),
            char => out.push(char),
        }
    }
    out
}

/// Returns the ways to read a name between quotation marks, or `None` if the line does not have two
/// of them.
fn quoted(rest: &str) -> Option<Vec<Mention<'_>>> {
    let mark = rest.chars().next().filter(|char| matches!(char, '"' | '\''))?;
    let inner = &rest[1..];
    let end = inner.find([mark, '\n']).filter(|end| inner[*end..].starts_with(mark))?;
    let (name, after) = (&inner[..end], &inner[end + 1..]);
    let length = end + 2;
    let word = after.split(char::is_whitespace).next().unwrap_or_default();
    let behind = word.strip_prefix(':').and_then(|lines| {
        let end = lines.find(|char: char| !char.is_ascii_digit() && char != '-');
        let lines = &lines[..end.unwrap_or(lines.len())];
        // A dash may belong to the sentence.
        let lines = lines.trim_end_matches('-');
        Some((range(lines)?, 1 + lines.len()))
    });
    let mention = |name, lines, length| Mention { name: Cow::Borrowed(name), lines, length };
    let mut found = Vec::new();
    if let Some((lines, more)) = behind {
        found.push(mention(name, Some(lines), length + more));
    }
    found.push(mention(name, None, length));
    if let Some((name, lines)) = with_lines(name) {
        found.push(mention(name, Some(lines), length));
    }
    Some(found)
}

/// Returns the end of a bare word: a blank without a `\` before it.
fn bare_end(rest: &str) -> usize {
    let mut is_escaped = false;
    let is_end = |(_, char): &(usize, char)| {
        let ends = char.is_whitespace() && (!is_escaped || *char == '\n');
        is_escaped = *char == '\\' && !is_escaped;
        ends
    };
    rest.char_indices().find(is_end).map_or(rest.len(), |(at, _)| at)
}

/// Returns a name and the lines that follow it, as in `a.txt:10-20` or `a.txt:10`.
fn with_lines(word: &str) -> Option<(&str, MentionedLines)> {
    let (name, lines) = word.rsplit_once(':').filter(|(name, _)| !name.is_empty())?;
    Some((name, range(lines)?))
}

fn range(lines: &str) -> Option<MentionedLines> {
    let (first, last) = lines.split_once('-').unwrap_or((lines, lines));
    let number = |text: &str| {
        let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| text.parse::<usize>().ok()).flatten().filter(|number| *number > 0)
    };
    let (first, last) = (number(first)?, number(last)?);
    (first <= last).then_some(MentionedLines { first, last })
}

/// The characters that may follow a name and are not part of it.
pub(super) const PUNCTUATION: [char; 12] =
    ['.', ',', ';', ':', '!', '?', ')', ']', '}', '"', '\'', '`'];

#[cfg(test)]
mod tests {
    use super::*;

    /// The name, the lines and the rest.
    type ReadMention<'a> = (String, Option<(usize, usize)>, &'a str);

    /// Returns the reading of a text, given the files that exist.
    fn read<'a>(rest: &'a str, files: &[&str]) -> Option<ReadMention<'a>> {
        let found = mentions(rest).into_iter().find(|one| files.contains(&&*one.name))?;
        let lines = found.lines.map(|lines| (lines.first, lines.last));
        Some((found.name.into_owned(), lines, &rest[found.length..]))
    }

    #[test]
    fn names_with_blanks_lines_and_punctuation_are_read() {
        const FILES: [&str; 6] = ["a.txt", "my notes.txt", "b", "odd:7", r"back\slash", "dots..."];
        for (rest, name, lines, left) in [
            ("a.txt, and", "a.txt", None, ", and"),
            ("a.txt). \"x\"", "a.txt", None, "). \"x\""),
            ("a.txt:10-20.", "a.txt", Some((10, 20)), "."),
            ("a.txt:7: x", "a.txt", Some((7, 7)), ": x"),
            ("a.txt:20-10", "", None, ""),
            ("a.txt:0", "", None, ""),
            ("odd:7", "odd:7", None, ""),
            ("dots....", "dots...", None, "."),
            (r"my\ notes.txt, x", "my notes.txt", None, ", x"),
            (r"my\ notes.txt:3-4", "my notes.txt", Some((3, 4)), ""),
            (r"back\slash", r"back\slash", None, ""),
            (r"back\\slash", r"back\slash", None, ""),
            ("\"my notes.txt\" x", "my notes.txt", None, " x"),
            ("\"my notes.txt\":3-4- x", "my notes.txt", Some((3, 4)), "- x"),
            ("\"my notes.txt:3-4\",", "my notes.txt", Some((3, 4)), ","),
            ("'my notes.txt': x", "my notes.txt", None, ": x"),
            ("\"my notes.txt x", "", None, ""),
            ("\"my\nnotes.txt\"", "", None, ""),
            ("my notes.txt", "", None, ""),
            ("types/node", "", None, ""),
            ("", "", None, ""),
        ] {
            let expected = (!name.is_empty()).then(|| (name.to_owned(), lines, left));
            assert_eq!(read(rest, &FILES), expected, "{rest}");
        }
        for name in FILES {
            let typed = written(name);
            assert_eq!(read(&typed, &[name]), Some((name.to_owned(), None, "")), "{typed}");
        }
    }
}
