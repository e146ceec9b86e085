//! The hits of a search, for a person.

use silcrow_sanitize::sanitize_line;
use silcrow_store::search::Hit;

use crate::entry_text::entry_line;
use crate::name::column;

/// Returns a hit of a search: the conversation with its title, and the event below it. It ends with
/// a line break, and nothing in it can change a terminal.
pub fn hit_text(hit: &Hit) -> String {
    let (id, title) = (column(&hit.conversation), sanitize_line(&hit.title));
    format!("{id}  {title}\n{}\n", entry_line(&hit.entry))
}
