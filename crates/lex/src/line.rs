//! The position in a line, as far as it decides which delimiters count.
//!
//! This module knows spaces, backticks and tildes. It does not know which delimiters need which
//! position.
//!
//! ```text
//! from              character            to
//! Indent            space, up to three   Indent
//! Indent            backtick             Backticks
//! Indent            tilde                Tildes
//! Backticks         backtick             Backticks
//! Tildes            tilde                Tildes
//! three of either   blank                AfterFence
//! AfterFence        blank                AfterFence
//! AfterControl      blank                AfterControl
//! any               line break           Indent
//! any               backtick             Middle, after one more backtick
//! one, two ticks    `<`                  Quoted
//! Quoted            `<`                  Quoted
//! any               another              Middle
//! ```

/// The position of the next byte in its line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LinePosition {
    /// At a line's start, after this many spaces, at most 3 (P-2).
    Indent(u8),
    /// At a line's start, after indent and this many backticks; 3 stands for more (P-34).
    Backticks(u8),
    /// The same with tildes.
    Tildes(u8),
    /// After a run of three or more of either, and blanks.
    AfterFence,
    /// After a control delimiter or a complete call's body, with only blanks between.
    AfterControl,
    /// Elsewhere, after this many backticks; 3 stands for more (P-39).
    Middle(u8),
    /// After one or two backticks and a run of `<`, none of which began a delimiter.
    Quoted,
}

impl LinePosition {
    pub(crate) const START: Self = Self::Indent(0);
    pub(crate) const MIDDLE: Self = Self::Middle(0);

    /// Returns the position after `text`, which is not empty.
    #[inline]
    pub(crate) fn after(self, text: &[u8]) -> Self {
        match *text {
            [.., last] if !MARKS[usize::from(last)] => Self::MIDDLE,
            // Most marks are line breaks and single blanks between words.
            [.., b'\n'] => Self::START,
            [.., before, b' '] if !MARKS[usize::from(before)] => Self::MIDDLE,
            _ => self.after_marks(text),
        }
    }

    /// Returns the position after a text that ends with marks.
    // If it were inlined, the search for delimiters would have to save every register.
    #[inline(never)]
    fn after_marks(self, text: &[u8]) -> Self {
        let from = text.iter().rposition(|&byte| byte == b'\n' || !MARKS[usize::from(byte)]);
        let (before, marks) = match from {
            None => (self, text),
            Some(at) if text[at] == b'\n' => (Self::START, &text[at + 1..]),
            Some(at) => (Self::MIDDLE, &text[at + 1..]),
        };
        marks.iter().fold(before, |position, &byte| position.after_mark(byte))
    }

    fn after_mark(self, byte: u8) -> Self {
        match (self, byte) {
            (Self::Indent(spaces @ ..3), b' ') => Self::Indent(spaces + 1),
            (Self::Indent(_), b'`') => Self::Backticks(1),
            (Self::Indent(_), b'~') => Self::Tildes(1),
            (Self::Backticks(len), b'`') => Self::Backticks((len + 1).min(3)),
            (Self::Tildes(len), b'~') => Self::Tildes((len + 1).min(3)),
            (Self::Backticks(3) | Self::Tildes(3) | Self::AfterFence, b' ' | b'\t') => {
                Self::AfterFence
            }
            (Self::AfterControl, b' ' | b'\t') => Self::AfterControl,
            (Self::Middle(ticks), b'`') => Self::Middle((ticks + 1).min(3)),
            (_, b'`') => Self::Middle(1),
            (Self::Quoted, b'<') => Self::Quoted,
            (_, b'<') if self.follows_code_tick() => Self::Quoted,
            _ => Self::MIDDLE,
        }
    }

    /// Returns whether a delimiter counts here that needs a line's start. In text, indent may
    /// precede it, or the run that closes a code fence.
    #[inline]
    pub(crate) const fn starts_line(self, in_text: bool) -> bool {
        match self {
            Self::Indent(0) | Self::AfterControl => true,
            Self::Indent(_) | Self::Backticks(3) | Self::Tildes(3) | Self::AfterFence => in_text,
            Self::Backticks(_) | Self::Tildes(_) | Self::Middle(_) | Self::Quoted => false,
        }
    }

    /// Returns whether one or two backticks are directly before this position.
    #[inline]
    pub(crate) const fn follows_code_tick(self) -> bool {
        matches!(self, Self::Middle(1 | 2) | Self::Backticks(1 | 2))
    }
}

/// The bytes after which a position may be other than `MIDDLE`.
static MARKS: [bool; 256] = {
    let mut marks = [false; 256];
    let bytes = b" \t\n`~<";
    let mut at = 0;
    while at < bytes.len() {
        marks[bytes[at] as usize] = true;
        at += 1;
    }
    marks
};
