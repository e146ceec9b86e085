use std::borrow::Cow;

use silcrow_lex::{Lexer, Marker, Token};

use crate::fence::Fence;
use crate::options::Options;

/// Appends text of a section so that it reads as itself: what would be a marker, an escaped one, a
/// fence that swallows what follows, or an escaped fence gets one first character more (P-3, P-34).
///
/// `marker` opens the section; [`Marker::Respond`] also stands for text that needs none.
pub(crate) fn escape(text: &str, marker: Marker, options: Options, out: &mut String) {
    let mut lexer = options.lexer();
    // Where a section's text stands: behind its marker, or at a line's start without one.
    let mut opening = options.dialect.literal(marker);
    while lexer.next(&mut opening).is_some() {}
    if marker == Marker::Respond {
        let text = escape_fences(text, options.dialect.first());
        let fence = Fence::new(options.dialect.first());
        escape_markers(&text, lexer, Some(fence), options, out);
    } else {
        escape_markers(text, lexer, None, options, out);
    }
}

/// Doubles what a lexer in this state would take for a marker.
pub(crate) fn escape_markers(
    text: &str,
    mut lexer: Lexer,
    mut fence: Option<Fence>,
    options: Options,
    out: &mut String,
) {
    let first = options.dialect.first();
    let mut write = |token: Token<'_>, lexer: &mut Lexer| {
        let counts = fence.as_ref().is_none_or(Fence::marker_counts);
        let text = match token {
            Token::Text(text) => text,
            Token::Escape(text) | Token::Marker(_, text) => {
                if counts {
                    out.push_str(first);
                }
                text
            }
            _ => return,
        };
        if matches!(token, Token::Marker(..)) {
            lexer.dismiss();
        }
        out.push_str(text);
        // A reader's fence never sees the character that an escape drops.
        if let Some(fence) = &mut fence
            && !(counts && matches!(token, Token::Escape(_)))
        {
            fence.push(text, &mut |_| {});
        }
    };
    let mut rest = text;
    while let Some(token) = lexer.next(&mut rest) {
        write(token, &mut lexer);
    }
    while let Some(token) = lexer.finish() {
        write(token, &mut lexer);
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
