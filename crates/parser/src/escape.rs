use std::borrow::Cow;

use silcrow_lex::{Delimiter, Lexer, TagEnd, Token};

use crate::fence::Fence;
use crate::options::Options;

/// Appends text of a section so that it reads as itself: what would be a delimiter, an escaped one, a
/// fence that swallows what follows, or an escaped fence gets one first character more (P-3, P-34).
///
/// `marker` opens the section; [`Delimiter::Respond`] also stands for text that needs none. The blanks
/// around the text, which a reader drops, are left out: what follows them begins a line (P-4).
pub(crate) fn escape(text: &str, marker: Delimiter, options: Options, out: &mut String) {
    let text = trim(text);
    let mut lexer = options.lexer();
    // Where a section's text stands: behind its delimiter, or at a line's start without one.
    let mut opening = options.dialect.literal(marker);
    while lexer.next(&mut opening).is_some() {}
    if marker == Delimiter::Respond {
        let text = escape_fences(text, options.dialect.first());
        let fence = Fence::new(options.dialect.first());
        escape_delimiters(&text, lexer, Some(fence), options, out);
    } else {
        escape_delimiters(text, lexer, None, options, out);
    }
}

/// The text without the white space around it (P-4).
pub(crate) fn trim(text: &str) -> &str {
    text.trim_matches([' ', '\t', '\r', '\n'])
}

/// Doubles what a lexer in this state would take for a delimiter.
pub(crate) fn escape_delimiters(
    text: &str,
    mut lexer: Lexer,
    fence: Option<Fence>,
    options: Options,
    out: &mut String,
) {
    let mut doubler = Doubler { first: options.dialect.first(), fence, tag: String::new(), out };
    let mut rest = text;
    while let Some(token) = lexer.next(&mut rest) {
        doubler.push(token, &mut lexer);
    }
    while let Some(token) = lexer.finish() {
        doubler.push(token, &mut lexer);
    }
}

struct Doubler<'a> {
    first: &'static str,
    fence: Option<Fence>,
    /// What may be a tag with attributes.
    tag: String,
    out: &'a mut String,
}

impl Doubler<'_> {
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
                lexer.dismiss();
                if counts {
                    self.out.push_str(self.first);
                }
                let tag = std::mem::take(&mut self.tag);
                self.text(&tag);
                self.text(text);
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

    /// What a reader drops of an escape: its fence never sees it.
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

/// The text with one first character more before every escaped fence, and before every fence that
/// it leaves open (P-34).
fn escape_fences<'a>(text: &'a str, first: &'static str) -> Cow<'a, str> {
    if !text.contains("```") && !text.contains("~~~") {
        return Cow::Borrowed(text);
    }
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let closable = closable(&lines);
    let mut out = String::with_capacity(text.len() + first.len());
    let mut fence = Fence::new(first);
    for (line, closable) in lines.into_iter().zip(closable) {
        let (before, behind) = match Head::of(line, first) {
            Some(head) if !fence.is_open() && (head.escaped || head.opens(line, closable)) => {
                line.split_at(head.ticks_at)
            }
            _ => (line, ""),
        };
        let inserted = if behind.is_empty() { "" } else { first };
        for text in [before, inserted, behind] {
            out.push_str(text);
            fence.push(text, &mut |_| {});
        }
    }
    Cow::Owned(out)
}

/// For each line, the longest closing runs of backticks and of tildes on the lines behind it.
fn closable(lines: &[&str]) -> Vec<[usize; 2]> {
    let mut behind = vec![[0; 2]; lines.len()];
    let mut longest = [0; 2];
    for (line, behind) in lines.iter().zip(&mut behind).rev() {
        *behind = longest;
        if let Some(head) = Head::of(line, "")
            && line[head.ticks_at + head.len..].trim_matches([' ', '\t', '\r', '\n']).is_empty()
        {
            longest[head.kind()] = longest[head.kind()].max(head.len);
        }
    }
    behind
}

/// The beginning of a line that may open, close or escape a fence.
struct Head {
    /// A run of first characters stands before the ticks.
    escaped: bool,
    ticks_at: usize,
    tick: u8,
    len: usize,
}

impl Head {
    fn of(line: &str, first: &str) -> Option<Self> {
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

    /// Whether it opens a fence that nothing behind the line closes.
    fn opens(&self, line: &str, closable: [usize; 2]) -> bool {
        let undone = self.tick == b'`' && line[self.ticks_at + self.len..].contains('`');
        !undone && closable[self.kind()] < self.len
    }
}
