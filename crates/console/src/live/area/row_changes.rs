//! Writes the difference between the current rows of a terminal and the new ones.
//!
//! A word that is added to a paragraph then costs a few moves of the cursor and the word, instead
//! of all rows, which matters on a slow connection.

use std::iter;

use silcrow_term::{Line, Theme};

use super::move_by;

/// Appends the sequences that change rows in place. The cursor is in the row `at` of the old ones.
/// Rows that are more than before follow the last one, so that the terminal scrolls. Returns the
/// row of the cursor, and whether it is at the end of that row's text.
pub(super) fn change_rows(
    old: &[Line],
    new: &[&Line],
    mut at: usize,
    theme: &Theme,
    text: &mut String,
) -> (usize, bool) {
    let mut is_at_end = false;
    for (index, (shown, row)) in iter::zip(old, new).enumerate().filter(|(_, (a, b))| a != *b) {
        move_to(index, &mut at, text);
        let (columns, rest) = row.rest_after(shown);
        move_by(columns, 'C', text);
        rest.write_ansi(theme, text);
        if !row.text().starts_with(shown.text()) {
            text.push_str("\x1b[K");
        }
        is_at_end = true;
    }
    if new.len() < old.len() {
        move_to(new.len(), &mut at, text);
        text.push_str("\x1b[J");
        is_at_end = false;
    } else if new.len() > old.len() {
        move_to(old.len() - 1, &mut at, text);
        for row in &new[old.len()..] {
            text.push_str("\r\n");
            row.write_ansi(theme, text);
        }
        (at, is_at_end) = (new.len() - 1, true);
    }
    (at, is_at_end)
}

/// Moves the cursor to the beginning of a row.
pub(super) fn move_to(row: usize, at: &mut usize, text: &mut String) {
    move_by(at.saturating_sub(row), 'A', text);
    move_by(row.saturating_sub(*at), 'B', text);
    text.push('\r');
    *at = row;
}
