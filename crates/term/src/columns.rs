//! The columns that text takes on a terminal.

use unicode_segmentation::UnicodeSegmentation as _;
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr};

/// Returns the columns that a text takes on a usual terminal: the sum over its characters as a reader
/// sees them. [`width`](super::fit::width) is for any terminal.
///
/// ```
/// assert_eq!(silcrow_term::fit::columns("日本語 …"), 8);
/// ```
pub fn columns(text: &str) -> usize {
    if text.is_ascii() {
        return text.len();
    }
    text.graphemes(true).map(UnicodeWidthStr::width).sum()
}

/// Returns the maximum columns of a character on any terminal. Terminals differ in characters that
/// are wide in some fonts, and in characters that join with others.
pub(crate) fn most_columns(char: char) -> usize {
    if char.is_ascii() { 1 } else { char.width_cjk().unwrap_or(2).max(1) }
}
