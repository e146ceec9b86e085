//! The output of calls while they run, as a screen shows it.
//!
//! A call shows its first lines as they end, and how many more there were once it has ended. Lines
//! wait while a person is asked or while a line of the answer is being written. All of it is bounded,
//! however much a call writes.

use std::collections::HashMap;

use silcrow_event::Progress;
use silcrow_term::fit::shortened;

use super::Screen;
use crate::output_lines::OutputLines;
use crate::plural::count;

/// The number of lines that a call shows while it runs.
const SHOWN: usize = 20;

/// The number of characters of a line that are shown.
const WIDE: usize = 200;

/// The lines of the calls that run.
#[derive(Default)]
pub(super) struct ProgressLines {
    calls: HashMap<String, CallLines>,
    /// The rows that are not on the screen yet.
    ready: String,
}

#[derive(Default)]
struct CallLines {
    shown: usize,
    hidden: u64,
    /// The line that has not ended.
    open: OutputLines,
}

impl ProgressLines {
    /// Takes a piece of output.
    fn push(&mut self, progress: &Progress) {
        let call = self.calls.entry(progress.id.clone()).or_default();
        for line in call.open.push(progress) {
            call.line(&line, &mut self.ready);
        }
    }

    /// Ends a call: its last lines are complete.
    fn end(&mut self, id: &str) {
        let Some(mut call) = self.calls.remove(id) else { return };
        for line in std::mem::take(&mut call.open).finish() {
            call.line(&line, &mut self.ready);
        }
        if call.hidden > 0 {
            let more = count(call.hidden, "more line");
            self.ready.push_str(&format!("  │ … {more}\n"));
        }
    }
}

impl CallLines {
    fn line(&mut self, line: &str, rows: &mut String) {
        if self.shown == SHOWN {
            self.hidden += 1;
            return;
        }
        self.shown += 1;
        rows.push_str(&format!("  │ {}\n", shortened(line, WIDE)));
    }
}

impl Screen {
    /// Takes a piece of a call's output, and shows the lines that it ends as soon as nothing else
    /// is being written.
    pub(super) fn progress(&mut self, progress: &Progress) {
        self.progress.push(progress);
        let within_answer = self.open.is_some() && self.answer.is_within_line();
        if !self.asking && !within_answer {
            self.show_progress();
        }
    }

    /// Ends the output of a call.
    pub(super) fn end_progress(&mut self, id: &str) {
        self.progress.end(id);
        self.show_progress();
    }

    fn show_progress(&mut self) {
        if !self.progress.ready.is_empty() {
            self.close();
            let rows = std::mem::take(&mut self.progress.ready);
            self.aside(&rows);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn piece(channel: &str, content: &str) -> Progress {
        Progress { id: "a1".into(), channel: channel.into(), n: 0, content: content.into() }
    }

    #[test]
    fn progress_lines_have_signs_without_control_characters() {
        let mut lines = ProgressLines::default();
        lines.push(&piece("stdout", "one\r\ntwo\x1b[2J\n\nla"));
        assert_eq!(lines.ready, "  │ one\n  │ two\\x1b[2J\n  │ \n");
        lines.push(&piece("stdout", "st"));
        lines.end("a1");
        assert!(lines.ready.ends_with("  │ last\n"), "{}", lines.ready);
    }

    #[test]
    fn endless_output_is_bounded() {
        let mut lines = ProgressLines::default();
        for _ in 0..10_000 {
            lines.push(&piece("stdout", &"é".repeat(1_000)));
            lines.push(&piece("stderr", "a\n"));
        }
        assert!(lines.ready.len() < SHOWN * (WIDE * 4 + 16), "{}", lines.ready.len());
        lines.end("a1");
        assert!(lines.ready.ends_with("  │ … 9981 more lines\n"), "{}", lines.ready);
    }
}
