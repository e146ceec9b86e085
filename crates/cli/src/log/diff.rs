//! `silcrow log diff`, which compares two conversations.

use std::io;

use silcrow_console::live::TerminalSize;
use silcrow_history::Comparison;
use silcrow_store::Store;

use crate::conversation::failure;
use crate::failure::Failure;

/// Returns the comparison of two conversations, as text or as JSON. Damaged events are left out, and
/// named at the end of the command.
pub(super) async fn diff(
    store: &dyn Store,
    ids: [&str; 2],
    for_programs: bool,
) -> Result<String, Failure> {
    let comparison = Comparison::read(store, ids).await.map_err(|error| failure(&error))?;
    if for_programs {
        return Ok(comparison.to_json_lines());
    }
    let columns =
        if io::IsTerminal::is_terminal(&io::stderr()) { TerminalSize::now().columns } else { 80 };
    Ok(comparison.to_text(columns))
}
