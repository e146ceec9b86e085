//! The position in a line, as far as it decides which delimiters count.
//!
//! This module knows spaces, backticks and tildes. It does not know which delimiters need which
//! position.
//!
//! ```text
//! from              character            to
//! Indent            space, up to three   Indent
//! Indent            backtick, tilde      Ticks
//! Ticks             the same             Ticks
//! Ticks of three    blank                AfterFence
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
    /// At a line's start, after indent and this many backticks or tildes; 3 stands for more (P-34).
    Ticks(u8, u8),
    /// After a run of three or more such characters, and blanks.
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

    /// Returns the position after `text`.
    #[inline]
    pub(crate) fn after(self, text: &[u8]) -> Self {
        match *text {
            [] => self,
            [.., b'\n'] => Self::START,
            [.., last] if !is_mark(last) => Self::MIDDLE,
            _ => self.after_marks(text),
        }
    }

    /// Returns the position after a text that ends with a mark.
    #[cold]
    fn after_marks(self, text: &[u8]) -> Self {
        let from = text.iter().rposition(|&byte| !is_mark(byte));
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
            (Self::Indent(_), b'`' | b'~') => Self::Ticks(byte, 1),
            (Self::Ticks(tick, len), _) if byte == tick => Self::Ticks(tick, (len + 1).min(3)),
            (Self::Ticks(_, 3) | Self::AfterFence, b' ' | b'\t') => Self::AfterFence,
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
            Self::Indent(_) | Self::Ticks(_, 3) | Self::AfterFence => in_text,
            Self::Ticks(..) | Self::Middle(_) | Self::Quoted => false,
        }
    }

    /// Returns whether one or two backticks are directly before this position.
    #[inline]
    pub(crate) const fn follows_code_tick(self) -> bool {
        matches!(self, Self::Middle(1 | 2) | Self::Ticks(b'`', 1 | 2))
    }
}

/// Returns whether a byte may keep a position near a line's start, or belong to a backtick's.
#[inline]
const fn is_mark(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'`' | b'~' | b'<')
}
