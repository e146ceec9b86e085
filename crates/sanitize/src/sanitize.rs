//! Hidden characters in text for a terminal.
//!
//! This module shows them. A [`Sanitizer`] has two states: nothing is pending, or a carriage return
//! is, which the next character makes part of a line break or a hidden character.

use std::borrow::Cow;
use std::fmt::Write as _;

use crate::hidden::{Context, is_other_blank};

/// Returns text of a model, a tool or a file as a terminal may show it.
///
/// Tabs and line breaks stay, CR LF becomes LF, and every other hidden character is replaced by its
/// code point: `\x1b` in ASCII, `\u{202e}` beyond. A joiner stays after a character that is not
/// ASCII, and a variation selector for text or emoji style stays after such a character or the base
/// of a keycap. Of the accents and other marks over one character the first 8 stay, and none stays
/// at the start of the text or of a line. Text that has nothing to replace is returned as it is.
pub fn sanitize(text: &str) -> Cow<'_, str> {
    sanitized(text, Context::default())
}

/// Makes text safe to display if an unusual blank matters, such as a command that a person has to
/// approve.
///
/// Like [`sanitize`], and also replaces every [blank](crate::is_other_blank) other than U+0020 by
/// its code point.
///
/// ```
/// use silcrow_sanitize::{sanitize, sanitize_exact};
///
/// let command = "rm\u{a0}-r x";
/// assert_eq!(sanitize(command), command);
/// assert_eq!(sanitize_exact(command), "rm\\u{a0}-r x");
/// ```
pub fn sanitize_exact(text: &str) -> Cow<'_, str> {
    let text = sanitize(text);
    if !text.contains(is_other_blank) {
        return text;
    }
    let mut out = String::with_capacity(text.len() + 16);
    for char in text.chars() {
        match is_other_blank(char) {
            true => escape(char, &mut out),
            false => out.push(char),
        }
    }
    Cow::Owned(out)
}

/// Makes a model's prose safe to display.
///
/// The result is the same as for [`sanitize`] with [marks of direction](crate::is_direction_mark)
/// kept, which Hebrew and Arabic need. Do not use it for text in which different spellings must not
/// look the same, such as names, paths, commands and questions to a person.
///
/// ```
/// use silcrow_sanitize::{sanitize, sanitize_prose};
///
/// let prose = "\u{5d0}\u{200f}!\u{202e}";
/// assert_eq!(sanitize_prose(prose), "\u{5d0}\u{200f}!\\u{202e}");
/// assert_eq!(sanitize(prose), "\u{5d0}\\u{200f}!\\u{202e}");
/// ```
pub fn sanitize_prose(text: &str) -> Cow<'_, str> {
    sanitized(text, Context::PROSE)
}

fn sanitized(text: &str, start: Context) -> Cow<'_, str> {
    let mut context = start;
    let keeps = |char| matches!(char, '\n' | '\t') | !context.hides(char);
    if text.chars().all(keeps) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    let mut sanitizer = Sanitizer { context: start, ..Sanitizer::default() };
    sanitizer.push(text, &mut out);
    sanitizer.finish(&mut out);
    Cow::Owned(out)
}

/// Makes text safe to display within one line.
///
/// Like [`sanitize`], and also replaces every tab and line break by its code point, so that the
/// text can forge neither a line nor a column.
pub fn sanitize_line(text: &str) -> Cow<'_, str> {
    one_line(sanitize(text))
}

/// Makes prose safe to display within one line: like [`sanitize_prose`], with every tab and line
/// break replaced by its code point.
pub fn sanitize_prose_line(text: &str) -> Cow<'_, str> {
    one_line(sanitize_prose(text))
}

fn one_line(text: Cow<'_, str>) -> Cow<'_, str> {
    match text {
        line if line.contains(['\n', '\t']) => {
            Cow::Owned(line.replace('\n', "\\x0a").replace('\t', "\\x09"))
        }
        line => line,
    }
}

/// Sanitizes text that arrives in pieces. The result is the same as with [`sanitize`], wherever the
/// text is cut.
#[derive(Debug, Default)]
pub struct Sanitizer {
    /// A carriage return that may belong to a line break.
    carriage_return: bool,
    /// Whether CR LF stays as it is.
    keeps_crlf: bool,
    context: Context,
}

impl Sanitizer {
    /// Creates a sanitizer of prose, which gives the same result as [`sanitize_prose`].
    pub fn of_prose() -> Self {
        Self { context: Context::PROSE, ..Self::default() }
    }

    /// Returns the sanitizer with CR LF kept as it is, which looks like LF on a terminal.
    ///
    /// ```
    /// use silcrow_sanitize::Sanitizer;
    ///
    /// let mut sanitizer = Sanitizer::default().with_crlf();
    /// let mut shown = String::new();
    /// sanitizer.push("a\r\nb\rc", &mut shown);
    /// sanitizer.finish(&mut shown);
    /// assert_eq!(shown, "a\r\nb\\x0dc");
    /// ```
    #[must_use]
    pub const fn with_crlf(mut self) -> Self {
        self.keeps_crlf = true;
        self
    }

    /// Takes the next piece and appends the safe part to `out`.
    pub fn push(&mut self, text: &str, out: &mut String) {
        for char in text.chars() {
            if char != '\n' {
                self.finish(out);
            } else if self.carriage_return && self.keeps_crlf {
                out.push('\r');
            }
            self.carriage_return = char == '\r';
            let hidden = self.context.hides(char);
            match char {
                '\r' => {}
                '\n' | '\t' => out.push(char),
                _ if hidden => escape(char, out),
                _ => out.push(char),
            }
        }
    }

    /// Appends the pending character to `out`. The next piece continues the same text.
    pub fn finish(&mut self, out: &mut String) {
        if std::mem::take(&mut self.carriage_return) {
            escape('\r', out);
        }
    }
}

fn escape(char: char, out: &mut String) {
    let written = match char {
        '\0'..='\u{7f}' => write!(out, "\\x{:02x}", u32::from(char)),
        _ => write!(out, "\\u{{{:x}}}", u32::from(char)),
    };
    written.expect("a string takes everything");
}
