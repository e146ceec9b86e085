//! A recording in the form `asciicast` 2: the screen of a terminal after each step, with its time.
//!
//! A step is written as the rows that differ from the previous step. The times follow from the
//! amount of text to read, so that the same screens make the same bytes.

use std::fmt::Write as _;

use serde_json::json;

use super::rows::ScreenRows;

/// A recording, which grows by a screen at a time.
pub(super) struct Cast {
    lines: String,
    seconds: f64,
    last: ScreenRows,
}

impl Cast {
    pub(super) fn new(title: &str, columns: u16, rows: u16) -> Self {
        let head = json!({
            "version": 2,
            "width": columns,
            "height": rows,
            "title": title,
            "env": { "TERM": "xterm-256color" },
        });
        Self { lines: format!("{head}\n"), seconds: 0.0, last: ScreenRows::empty(rows) }
    }

    /// Adds a screen that follows the last one after this time.
    pub(super) fn show(&mut self, screen: ScreenRows, after: f64) {
        let (data, changed) = screen.since(&self.last);
        if changed == 0 && screen.cursor == self.last.cursor {
            return;
        }
        self.seconds += after;
        let _ = writeln!(self.lines, "{}", json!([rounded(self.seconds), "o", data]));
        // A person reads the new text.
        self.seconds += 0.3 + (changed as f64 * 0.15).min(3.0);
        self.last = screen;
    }

    /// Returns the file. Its last screen stays for a while.
    pub(super) fn into_text(mut self) -> String {
        let _ = writeln!(self.lines, "{}", json!([rounded(self.seconds + 2.0), "o", ""]));
        self.lines
    }
}

fn rounded(seconds: f64) -> f64 {
    (seconds * 100.0).round() / 100.0
}
