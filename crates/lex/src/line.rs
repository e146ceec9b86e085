//! The position in a line, with only the distinctions that delimiters need.
//!
//! This module counts spaces, backticks and tildes.
//!
//! ```text
//! from                    character     to
//! Start                   space         Indent1
//! Indent1, Indent2        space         the next indent
//! Start, Indent           backtick      Backtick1
//! Start, Indent           tilde         Tilde1
//! Backtick1, Backtick2    backtick      the next run
//! Tilde1, Tilde2          tilde         the next run
//! Backticks, Tildes       the same      the same
//! Backticks, Tildes       blank         AfterFence
//! AfterFence              blank         AfterFence
//! AfterControl            blank         AfterControl
//! any                     line break    Start
//! any                     backtick      Tick1
//! Tick1, Tick2, Ticks     backtick      the next run, at most Ticks
//! one, two backticks      `<`           Quoted
//! Quoted                  `<`           Quoted
//! any                     another       Middle
//! ```

/// The position of the next byte in its line.
// It is one byte, because it is updated for every token of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LinePosition {
    /// At a line's start.
    Start,
    /// After indent of one space (P-2).
    Indent1,
    /// After indent of two spaces.
    Indent2,
    /// After indent of three spaces.
    Indent3,
    /// At a line's start, after indent and one backtick (P-34).
    Backtick1,
    /// The same with two.
    Backtick2,
    /// The same with three or more.
    Backticks,
    /// At a line's start, after indent and one tilde.
    Tilde1,
    /// The same with two.
    Tilde2,
    /// The same with three or more.
    Tildes,
    /// After a run of three or more of either, and blanks.
    AfterFence,
    /// After a control delimiter or a complete call's body, with only blanks between.
    AfterControl,
    /// Elsewhere, and not after a backtick.
    Middle,
    /// Elsewhere, after one backtick (P-39).
    Tick1,
    /// Elsewhere, after two backticks.
    Tick2,
    /// Elsewhere, after three or more backticks.
    Ticks,
    /// After one or two backticks and a run of `<`, none of which began a delimiter.
    Quoted,
}

use LinePosition::{
    AfterControl, AfterFence, Backtick1, Backtick2, Backticks, Indent1, Indent2, Indent3, Middle,
    Quoted, Start, Tick1, Tick2, Ticks, Tilde1, Tilde2, Tildes,
};

impl LinePosition {
    /// Returns the position after `text`.
    #[inline]
    pub(crate) fn after(mut self, text: &[u8]) -> Self {
        self.advance(text);
        self
    }

    /// Moves to the position after `text`.
    // Most text ends in the middle of a line, and then the position before it is not even loaded.
    #[inline]
    pub(crate) fn advance(&mut self, text: &[u8]) {
        match *text {
            [.., last] if !MARKS[usize::from(last)] => *self = Middle,
            // Most marks are line breaks and single blanks between words.
            [.., b'\n'] => *self = Start,
            [.., before, b' '] if !MARKS[usize::from(before)] => *self = Middle,
            _ => self.advance_past_marks(text),
        }
    }

    /// Moves to the position after a text that ends with marks.
    // If it were inlined, the search for delimiters would have to save every register.
    #[inline(never)]
    fn advance_past_marks(&mut self, text: &[u8]) {
        let from = text.iter().rposition(|&byte| byte == b'\n' || !MARKS[usize::from(byte)]);
        let (before, marks) = match from {
            None => (*self, text),
            Some(at) if text[at] == b'\n' => (Start, &text[at + 1..]),
            Some(at) => (Middle, &text[at + 1..]),
        };
        *self = marks.iter().fold(before, |position, &byte| position.after_mark(byte));
    }

    fn after_mark(self, byte: u8) -> Self {
        match (self, byte) {
            (Start, b' ') => Indent1,
            (Indent1, b' ') => Indent2,
            (Indent2, b' ') => Indent3,
            (Start | Indent1 | Indent2 | Indent3, b'`') => Backtick1,
            (Start | Indent1 | Indent2 | Indent3, b'~') => Tilde1,
            (Backtick1, b'`') => Backtick2,
            (Backtick2 | Backticks, b'`') => Backticks,
            (Tilde1, b'~') => Tilde2,
            (Tilde2 | Tildes, b'~') => Tildes,
            (Backticks | Tildes | AfterFence, b' ' | b'\t') => AfterFence,
            (AfterControl, b' ' | b'\t') => AfterControl,
            (Tick1, b'`') => Tick2,
            (Tick2 | Ticks, b'`') => Ticks,
            (_, b'`') => Tick1,
            (Quoted, b'<') => Quoted,
            (_, b'<') if self.follows_code_tick() => Quoted,
            _ => Middle,
        }
    }

    /// Returns whether a delimiter counts here that needs a line's start. In text, indent may
    /// precede it, or the run that closes a code fence.
    #[inline]
    pub(crate) const fn starts_line(self, in_text: bool) -> bool {
        match self {
            Start | AfterControl => true,
            Indent1 | Indent2 | Indent3 | Backticks | Tildes | AfterFence => in_text,
            Backtick1 | Backtick2 | Tilde1 | Tilde2 | Middle | Tick1 | Tick2 | Ticks | Quoted => {
                false
            }
        }
    }

    /// Returns whether one or two backticks are directly before this position.
    #[inline]
    pub(crate) const fn follows_code_tick(self) -> bool {
        matches!(self, Tick1 | Tick2 | Backtick1 | Backtick2)
    }
}

/// The bytes after which a position may differ from `Middle`.
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
