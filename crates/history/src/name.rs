//! Names of conversations and users, as one column of a row.

use silcrow_sanitize::sanitize_line;

/// Returns a name as one column, safe to show. Between quotes it may hold blanks and still looks like
/// no other column.
pub(crate) fn column(name: &str) -> String {
    let shown = sanitize_line(name);
    let is_plain =
        !shown.is_empty() && !shown.contains(|char: char| char.is_whitespace() || char == '"');
    if is_plain { shown.into_owned() } else { format!("\"{}\"", shown.replace('"', "\\x22")) }
}
