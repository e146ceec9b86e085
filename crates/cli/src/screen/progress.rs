//! The output of calls while they run, as a screen shows it.
//!
//! A call shows its first lines as they end, and how many more there were once it has ended. Lines
//! wait while a person is asked or while a line of the answer is being written. All of it is bounded,
//! however much a call writes.

use std::collections::{BTreeMap, HashMap};

use silcrow_event::Progress;

use super::{DIM, Screen};
use crate::columns::shortened;
use crate::plural::count;

/// The number of lines that a call shows while it runs.
const SHOWN: usize = 20;

/// The number of bytes of a line that are kept. The rest of the line is not shown.
const KEPT: usize = 1024;

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
    /// The lines that have not ended, by channel.
    open: BTreeMap<String, String>,
}

impl ProgressLines {
    /// Takes a piece of output.
    fn push(&mut self, Progress { id, channel, content, .. }: &Progress) {
        let call = self.calls.entry(id.clone()).or_default();
        for piece in content.split_inclusive('\n') {
            let open = call.open.entry(channel.clone()).or_default();
            let (text, ended) = match piece.strip_suffix('\n') {
                Some(text) => (text, true),
                None => (piece, false),
            };
            let room = KEPT.saturating_sub(open.len());
            open.push_str(&text[..text.floor_char_boundary(room)]);
            if ended {
                let line = std::mem::take(open);
                call.line(&line, &mut self.ready);
            }
        }
    }

    /// Ends a call: its last lines are complete.
    fn end(&mut self, id: &str) {
        let Some(mut call) = self.calls.remove(id) else { return };
        for line in std::mem::take(&mut call.open).into_values().filter(|line| !line.is_empty()) {
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
        rows.push_str(&format!("  │ {}\n", shortened(line.trim_end_matches('\r'), WIDE)));
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
            self.clear_status();
            self.close();
            let rows = std::mem::take(&mut self.progress.ready);
            self.aside(DIM, &rows);
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
    fn lines_are_whole_however_the_output_is_cut() {
        let text = "one\r\ntwo\x1b[2J\n\nlast";
        for cut in 0..=text.len() {
            let mut lines = ProgressLines::default();
            lines.push(&piece("stdout", &text[..cut]));
            lines.push(&piece("stdout", &text[cut..]));
            lines.end("a1");
            let shown = "  │ one\n  │ two\\x1b[2J\n  │ \n  │ last\n";
            assert_eq!(lines.ready, shown, "{cut}");
        }
    }

    #[test]
    fn channels_do_not_mix_within_a_line() {
        let mut lines = ProgressLines::default();
        for (channel, content) in
            [("stdout", "a"), ("stderr", "x\n"), ("stdout", "b\n"), ("stderr", "y")]
        {
            lines.push(&piece(channel, content));
        }
        lines.end("a1");
        assert_eq!(lines.ready, "  │ x\n  │ ab\n  │ y\n");
    }

    #[test]
    fn endless_output_is_bounded() {
        let mut lines = ProgressLines::default();
        for _ in 0..10_000 {
            lines.push(&piece("stdout", &"é".repeat(1_000)));
            lines.push(&piece("stderr", "a\n"));
        }
        let kept: usize = lines.calls["a1"].open.values().map(String::len).sum();
        assert!(lines.ready.len() < SHOWN * (WIDE * 4 + 16) && kept <= KEPT, "{kept}");
        lines.end("a1");
        assert!(lines.ready.ends_with("  │ … 9981 more lines\n"), "{}", lines.ready);
    }
}
