//! The changes of a call in files, as lines for a pipe.

use silcrow_event::CallChanges;
use silcrow_sanitize::sanitize_line;
use silcrow_term::{DiffLook, DiffRows, Theme};

use crate::options::DiffShown;
use crate::plural::count;

/// Returns a line for each file, or the lines that changed.
pub(super) fn changed_lines(changes: &CallChanges, diff: DiffShown) -> String {
    let mut lines = String::new();
    if diff == DiffShown::Off {
        return lines;
    }
    for delta in changes.files.iter().take(MOST_FILES) {
        lines.push_str(&format!("  {}\n", sanitize_line(&delta.short())));
        if diff == DiffShown::Full {
            for row in DiffRows::new(&delta.hunks, &DiffLook::new(COLUMNS)).rows {
                lines.push_str(&row.to_ansi(&Theme::PLAIN));
                lines.push('\n');
            }
        }
    }
    let hidden = changes.files.len().saturating_sub(MOST_FILES);
    if hidden > 0 {
        lines.push_str(&format!("  … {}, silcrow diff\n", count(hidden as u64, "more file")));
    }
    lines
}

/// The number of files that are named.
const MOST_FILES: usize = 20;

/// The number of columns of a line that changed.
const COLUMNS: usize = 400;
