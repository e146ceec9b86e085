//! Files of stored events, one a line, as `silcrow log` prints them.

use std::path::Path;

use silcrow_event::{Entry, read_entry};

use crate::error::Error;
use crate::text_file::{name, read_text};

/// Reads all events of a file with one stored event a line, or of standard input for `-`.
///
/// ```
/// use silcrow_session::stored_events;
///
/// # let file = std::env::temp_dir().join(format!("silcrow-events-{}", std::process::id()));
/// let lines = ["{\"type\":\"user\",\"content\":\"2 + 2?\"}", "", "{\"type\":\"use\"}"];
/// std::fs::write(&file, lines.join("\n")).unwrap();
/// let error = stored_events(&file).unwrap_err();
/// // A blank line is skipped, and counts.
/// assert!(error.to_string().contains(", line 3: "), "{error}");
/// # std::fs::remove_file(&file).unwrap();
/// ```
///
/// # Errors
///
/// Returns an error if the file cannot be read, or if a line is not an event.
pub fn stored_events(file: &Path) -> Result<Vec<Entry>, Error> {
    let (name, text) = (name(file), read_text(file)?);
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines
        .map(|(index, line)| {
            read_entry(line).map_err(|why| {
                Error::given(format!(
                    "{name}, line {}: {why}; each line is one stored event, as silcrow log prints it",
                    index + 1
                ))
            })
        })
        .collect()
}
