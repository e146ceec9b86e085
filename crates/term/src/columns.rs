//! The columns that text takes on a terminal.

use unicode_segmentation::UnicodeSegmentation as _;
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr};

/// Returns the number of columns of a text: the sum over its characters as a reader sees them.
pub(crate) fn columns(text: &str) -> usize {
    if text.is_ascii() {
        return text.len();
    }
    text.graphemes(true).map(UnicodeWidthStr::width).sum()
}

/// Returns the most columns that a character takes on any terminal. Terminals differ in characters
/// that are wide in some fonts, and in characters that join with others.
pub(crate) fn most_columns(char: char) -> usize {
    if char.is_ascii() { 1 } else { char.width_cjk().unwrap_or(2).max(1) }
}
