//! A Rust file, split into code, literals and comments.
//!
//! This module knows how literals and comments begin and end, and which modules only tests build.
//! It does not parse items or expressions.

use std::ops::Range;

/// A Rust file, split into code, literals and comments.
pub(crate) struct SourceFile {
    text: String,
    /// The kind of each byte.
    kinds: Vec<ByteKind>,
    /// The bytes of modules that only tests build.
    tests: Vec<Range<usize>>,
}

/// The kind of a byte of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ByteKind {
    Code,
    /// A string or a character, with its quotes.
    Literal,
    Comment,
}

impl SourceFile {
    pub(crate) fn new(text: String) -> Self {
        let mut kinds = Vec::with_capacity(text.len());
        while let Some((kind, len)) = next(&text, kinds.len()) {
            kinds.resize(kinds.len() + len, kind);
        }
        let mut source = Self { text, kinds, tests: Vec::new() };
        source.tests = source.find_tests();
        source
    }

    /// Returns the code that is built without tests, with literals blanked.
    pub(crate) fn code(&self) -> String {
        self.only(&[ByteKind::Code], false)
    }

    /// Returns the file with everything except these kinds blanked, and all lines in their places.
    pub(crate) fn only(&self, kinds: &[ByteKind], tests: bool) -> String {
        let keep = |at: usize, char: char| {
            char == '\n'
                || kinds.contains(&self.kinds[at])
                    && (tests || !self.tests.iter().any(|range| range.contains(&at)))
        };
        self.text.char_indices().map(|(at, char)| if keep(at, char) { char } else { ' ' }).collect()
    }

    /// Returns the ranges of the modules after `#[cfg(test)]`, with their braces.
    fn find_tests(&self) -> Vec<Range<usize>> {
        const MARK: &str = "#[cfg(test)]";
        let is_code = |at: &usize| self.kinds[*at] == ByteKind::Code;
        let marks = self.text.match_indices(MARK).map(|(at, _)| at).filter(is_code);
        let end = |start: usize| {
            let mut depth = 0;
            let code = (start..self.text.len()).filter(is_code);
            for at in code {
                match self.text.as_bytes()[at] {
                    b'{' => depth += 1,
                    b'}' if depth == 1 => return at + 1,
                    b'}' => depth -= 1,
                    b';' if depth == 0 => return at + 1,
                    _ => {}
                }
            }
            self.text.len()
        };
        marks.map(|at| at..end(at + MARK.len())).collect()
    }
}

/// Returns the kind and the length of the next part of a text, or `None` at its end.
fn next(text: &str, at: usize) -> Option<(ByteKind, usize)> {
    let rest = &text[at..];
    let first = rest.chars().next()?;
    let up_to = |end: Option<usize>| end.unwrap_or(rest.len());
    Some(match first {
        '/' if rest.starts_with("//") => (ByteKind::Comment, up_to(rest.find('\n'))),
        '/' if rest.starts_with("/*") => (ByteKind::Comment, block_comment(rest)),
        '"' => (ByteKind::Literal, quoted(rest, '"')),
        'r' if !text[..at].ends_with(is_name_char) || is_prefix(&text[..at]) => {
            raw_string(rest).map_or((ByteKind::Code, 1), |len| (ByteKind::Literal, len))
        }
        '\'' => {
            let mut chars = rest[1..].chars();
            // `'a'` and `'\n'` are characters, `'a` is a lifetime.
            let is_char = chars.next() == Some('\\') || chars.next() == Some('\'');
            if is_char { (ByteKind::Literal, quoted(rest, '\'')) } else { (ByteKind::Code, 1) }
        }
        other => (ByteKind::Code, other.len_utf8()),
    })
}

/// Returns the length of a literal with escapes, including its quotes.
fn quoted(rest: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, char) in rest.char_indices().skip(1) {
        match char {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if char == quote => return at + 1,
            _ => {}
        }
    }
    rest.len()
}

/// Returns the length of `r"…"` or `r#"…"#`, if one begins here.
fn raw_string(rest: &str) -> Option<usize> {
    let hashes = rest[1..].bytes().take_while(|&byte| byte == b'#').count();
    let body = rest[1 + hashes..].strip_prefix('"')?;
    let close = format!("\"{}", "#".repeat(hashes));
    let end = body.find(&close).map_or(body.len(), |end| end + close.len());
    Some(rest.len() - body.len() + end)
}

/// Returns the length of a block comment, which may contain others.
fn block_comment(rest: &str) -> usize {
    let mut depth = 0;
    let mut at = 0;
    while at < rest.len() {
        let step = match &rest.as_bytes()[at..] {
            [b'/', b'*', ..] => {
                depth += 1;
                2
            }
            [b'*', b'/', ..] => {
                depth -= 1;
                2
            }
            _ => 1,
        };
        at += step;
        if depth == 0 {
            return at;
        }
    }
    rest.len()
}

/// Returns whether the text ends with the `b` of `br"…"` or the `c` of `cr"…"`, as a whole word.
fn is_prefix(before: &str) -> bool {
    let mut chars = before.chars().rev();
    matches!(chars.next(), Some('b' | 'c')) && !chars.next().is_some_and(is_name_char)
}

fn is_name_char(char: char) -> bool {
    char.is_alphanumeric() || char == '_'
}
