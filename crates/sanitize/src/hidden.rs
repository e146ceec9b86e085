//! The list of hidden characters, and which of them depend on their neighbours, as marks do.
//!
//! This module checks characters and their predecessors. Others decide how a hidden one is shown.

use std::cmp::Ordering;

use crate::marks::is_mark;

/// Returns whether `char` is hidden: a screen shows nothing for it, or does something else, such as
/// move the cursor, reorder text, end the line, or start a command of the terminal.
///
/// Tab and line break are such characters too, although [`sanitize`](crate::sanitize) keeps them.
/// So are the joiners and variation selectors that emoji and scripts need. They are kept if they
/// join or select something.
pub fn is_hidden(char: char) -> bool {
    let order = |range: &(char, char)| match range {
        (_, last) if *last < char => Ordering::Less,
        (first, _) if *first > char => Ordering::Greater,
        _ => Ordering::Equal,
    };
    // Most text is ASCII.
    if char.is_ascii() { char.is_ascii_control() } else { RANGES.binary_search_by(order).is_ok() }
}

/// Returns whether `char` is a blank that looks like U+0020, or wider or narrower, and is another
/// character, such as the no-break space U+00A0: a separator in Unicode's data that
/// [is not hidden](is_hidden). Programs do not split words at it as they do at U+0020.
pub const fn is_other_blank(char: char) -> bool {
    matches!(
        char,
        '\u{a0}' | '\u{1680}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}'
    )
}

/// Returns whether `char` is a mark of direction, U+200E, U+200F or U+061C. It is invisible, and
/// makes the punctuation beside it belong to text from left to right or from right to left. Unlike
/// an override, an embedding or an isolate it does not change the order of letters.
///
/// It [is hidden](is_hidden), and [`sanitize_prose`](crate::sanitize_prose) keeps it.
pub const fn is_direction_mark(char: char) -> bool {
    matches!(char, '\u{200e}' | '\u{200f}' | '\u{61c}')
}

/// The state that decides whether the next joiner, variation selector or mark is hidden.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Context {
    before: Before,
    /// The number of marks since the last visible character, or [`MOST_MARKS`] if there is none.
    marks: u8,
    keeps_direction_marks: bool,
}

/// The character before the next one.
///
/// Each character leads to one of these states. A selector leads from `Base` to `Styled`.
#[derive(Debug, Clone, Copy, Default)]
enum Before {
    /// Any other character, or the beginning of the text.
    #[default]
    Other,
    /// A digit, `#` or `*`, which a selector turns into the base of a keycap.
    Keycap,
    /// A character that can be joined to the next one, or shown in another style.
    Base,
    /// Such a character, with its style selected.
    Styled,
}

impl Default for Context {
    fn default() -> Self {
        Self { before: Before::Other, marks: MOST_MARKS, keeps_direction_marks: false }
    }
}

impl Context {
    /// The state at the beginning of prose.
    pub(crate) const PROSE: Self =
        Self { before: Before::Other, marks: MOST_MARKS, keeps_direction_marks: true };

    /// Takes the next character of the text and returns whether it must be escaped.
    pub(crate) fn hides(&mut self, char: char) -> bool {
        let before = std::mem::take(&mut self.before);
        match (char, before) {
            // This is most text.
            (' '..='~', _) => {
                self.marks = 0;
                if matches!(char, '0'..='9' | '#' | '*') {
                    self.before = Before::Keycap;
                }
            }
            ('\u{200c}' | '\u{200d}', Before::Base | Before::Styled) => {}
            ('\u{fe0e}' | '\u{fe0f}', Before::Keycap) => {}
            ('\u{fe0e}' | '\u{fe0f}', Before::Base) => self.before = Before::Styled,
            _ if is_hidden(char) => {
                self.marks = MOST_MARKS;
                return !(self.keeps_direction_marks && is_direction_mark(char));
            }
            _ if is_mark(char) => {
                if self.marks == MOST_MARKS {
                    return true;
                }
                self.marks += 1;
                self.before = Before::Base;
            }
            _ => {
                self.marks = 0;
                self.before = Before::Base;
            }
        }
        false
    }
}

/// The number of marks that a character may carry. Tibetan syllables have up to 8; more of them
/// cover the lines above and below.
const MOST_MARKS: u8 = 8;

/// Control characters, line and paragraph separators, everything that Unicode calls ignorable by
/// default, bidirectional controls, other format characters without a glyph, and three characters
/// whose glyph is blank: U+2800, U+16FE4 and U+1D159. The ranges have a first and a last character,
/// and are sorted.
///
/// A test compares them with Unicode's own data.
static RANGES: [(char, char); 23] = [
    ('\0', '\u{1f}'),
    ('\u{7f}', '\u{9f}'),
    ('\u{ad}', '\u{ad}'),
    ('\u{34f}', '\u{34f}'),
    ('\u{61c}', '\u{61c}'),
    ('\u{115f}', '\u{1160}'),
    ('\u{17b4}', '\u{17b5}'),
    ('\u{180b}', '\u{180f}'),
    ('\u{200b}', '\u{200f}'),
    ('\u{2028}', '\u{202e}'),
    ('\u{2060}', '\u{206f}'),
    ('\u{2800}', '\u{2800}'),
    ('\u{3164}', '\u{3164}'),
    ('\u{fe00}', '\u{fe0f}'),
    ('\u{feff}', '\u{feff}'),
    ('\u{ffa0}', '\u{ffa0}'),
    ('\u{fff0}', '\u{fffb}'),
    ('\u{13430}', '\u{1343f}'),
    ('\u{16fe4}', '\u{16fe4}'),
    ('\u{1bca0}', '\u{1bca3}'),
    ('\u{1d159}', '\u{1d159}'),
    ('\u{1d173}', '\u{1d17a}'),
    ('\u{e0000}', '\u{e0fff}'),
];
