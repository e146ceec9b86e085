//! Files of stored events, one a line, as `silcrow log` prints them.

use std::path::Path;

use silcrow_event::{Entry, read_entry};

use crate::failure::Failure;
use crate::input::Input;

/// Reads all events of a file, or of standard input for `-`.
pub(crate) fn stored_events(file: &Path) -> Result<Vec<Entry>, Failure> {
    let input = Input::open(file)?;
    let name = input.name().to_owned();
    let text = input.text()?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines
        .map(|(index, line)| {
            read_entry(line).map_err(|why| {
                Failure::given(format!(
                    "{name}, line {}: {why}; each line is one stored event, as silcrow log prints it",
                    index + 1
                ))
            })
        })
        .collect()
}
