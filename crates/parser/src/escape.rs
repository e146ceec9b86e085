//! The escapes of the writers: text becomes wire text that is parsed as the same text.
//!
//! Delimiters are found by the lexer, and fences by the parser's `Fence`, so that the writer and
//! the reader agree about both.

use std::borrow::Cow;

use silcrow_lex::{Delimiter, Lexer, Options, TagEnd, Token};

use crate::fence::Fence;

/// Appends the text of a section, escaped (P-3, P-34): a delimiter, an escaped delimiter, a fence
/// that would stay open, and an escaped fence get one more first character.
///
/// `delimiter` opens the section; [`Delimiter::Respond`] is also for an answer without a delimiter.
/// White space around the text is left out, because a parser drops it (P-4).
pub(crate) fn escape(text: &str, delimiter: Delimiter, options: Options, out: &mut String) {
    let text = trim(text);
    let mut lexer = Lexer::new(options);
    // The text follows its delimiter, or begins at a line's start without one.
    let mut opening = options.dialect.literal(delimiter);
    while lexer.next(&mut opening).is_some() {}
    let text = escape_fences(text, options.dialect.first_char());
    let fence = Fence::new(options.dialect.first_char());
    escape_delimiters(&text, lexer, Some(fence), options, out);
}

/// Returns the text without the white space around it (P-4).
pub(crate) fn trim(text: &str) -> &str {
    text.trim_matches([' ', '\t', '\r', '\n'])
}

/// Appends a text, and doubles the first character of everything that `lexer` would take for a
/// delimiter.
pub(crate) fn escape_delimiters(
    text: &str,
    mut lexer: Lexer,
    fence: Option<Fence>,
    options: Options,
    out: &mut String,
) {
    let mut escaper =
        DelimiterEscaper { first: options.dialect.first_char(), fence, tag: String::new(), out };
    let mut rest = text;
    while let Some(token) = lexer.next(&mut rest) {
        escaper.push(token, &mut lexer);
    }
    while let Some(token) = lexer.finish() {
        escaper.push(token, &mut lexer);
    }
}

struct DelimiterEscaper<'a> {
    first: &'static str,
    fence: Option<Fence>,
    /// The text of a possible tag with attributes.
    tag: String,
    out: &'a mut String,
}

impl DelimiterEscaper<'_> {
    fn push(&mut self, token: Token<'_>, lexer: &mut Lexer) {
        let counts = self.fence.as_ref().is_none_or(Fence::delimiter_counts);
        match token {
            Token::Text(text) => self.text(text),
            Token::Escape(text) => {
                if counts {
                    self.double(text);
                } else {
                    self.text(text);
                }
            }
            Token::Delimiter(_, text) => {
                lexer.treat_as_text();
                if counts {
                    self.out.push_str(self.first);
                }
                let tag = std::mem::take(&mut self.tag);
                self.text(&tag);
                self.text(text);
            }
            Token::Tag(_, name) if !counts => {
                lexer.treat_as_text();
                self.text(name);
            }
            Token::Tag(_, text) | Token::Name(text) | Token::Value(text) | Token::Glue(text) => {
                self.tag.push_str(text);
            }
            Token::TagEnd(end) => {
                let tag = std::mem::take(&mut self.tag);
                let mut text = &*tag;
                if end == TagEnd::Escaped {
                    let (first, rest) = tag.split_at(self.first.len());
                    self.double(first);
                    text = rest;
                }
                self.text(text);
            }
            _ => {}
        }
    }

    /// Writes an escaped first character. The fence does not see it, because a parser drops one of
    /// the two characters before it follows fences.
    fn double(&mut self, first: &str) {
        self.out.push_str(self.first);
        self.out.push_str(first);
    }

    fn text(&mut self, text: &str) {
        self.out.push_str(text);
        if let Some(fence) = &mut self.fence {
            fence.push(text, &mut |_| {});
        }
    }
}

/// Returns the text with one more first character before every escaped fence, and before every
/// fence that would stay open (P-34).
fn escape_fences<'a>(text: &'a str, first: &'static str) -> Cow<'a, str> {
    if !text.contains("```") && !text.contains("~~~") {
        return Cow::Borrowed(text);
    }
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let closable = closable(&lines);
    let mut out = String::with_capacity(text.len() + first.len());
    let mut fence = Fence::new(first);
    for (line, closable) in lines.into_iter().zip(closable) {
        let (before, after) = match FenceMarker::parse(line, first) {
            Some(head) if !fence.is_open() && (head.escaped || head.opens(line, closable)) => {
                line.split_at(head.ticks_at)
            }
            _ => (line, ""),
        };
        let inserted = if after.is_empty() { "" } else { first };
        for text in [before, inserted, after] {
            out.push_str(text);
            fence.push(text, &mut |_| {});
        }
    }
    Cow::Owned(out)
}

/// Returns, for each line, the longest closing runs of backticks and of tildes on the lines after
/// it.
fn closable(lines: &[&str]) -> Vec<[usize; 2]> {
    let mut after = vec![[0; 2]; lines.len()];
    let mut longest = [0; 2];
    for (line, after) in lines.iter().zip(&mut after).rev() {
        *after = longest;
        if let Some(head) = FenceMarker::parse(line, "")
            && line[head.ticks_at + head.len..].trim_matches([' ', '\t', '\r', '\n']).is_empty()
        {
            longest[head.kind()] = longest[head.kind()].max(head.len);
        }
    }
    after
}

/// The beginning of a line that may open, close or escape a fence.
struct FenceMarker {
    /// Whether a run of first characters precedes the ticks.
    escaped: bool,
    ticks_at: usize,
    tick: u8,
    len: usize,
}

impl FenceMarker {
    fn parse(line: &str, first: &str) -> Option<Self> {
        let rest = line.trim_start_matches(' ');
        if line.len() - rest.len() > 3 {
            return None;
        }
        let ticks = if first.is_empty() { rest } else { rest.trim_start_matches(first) };
        let tick = *ticks.as_bytes().first().filter(|tick| matches!(tick, b'`' | b'~'))?;
        let len = ticks.bytes().take_while(|&byte| byte == tick).count();
        let escaped = ticks.len() < rest.len();
        (len >= 3).then_some(Self { escaped, ticks_at: line.len() - ticks.len(), tick, len })
    }

    const fn kind(&self) -> usize {
        (self.tick == b'~') as usize
    }

    /// Returns whether it opens a fence that no later line closes.
    fn opens(&self, line: &str, closable: [usize; 2]) -> bool {
        let is_invalid = self.tick == b'`' && line[self.ticks_at + self.len..].contains('`');
        !is_invalid && closable[self.kind()] < self.len
    }
}
