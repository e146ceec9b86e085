//! The line of status: what the run waits for, or how much of a call is written.

use std::time::Duration;

use silcrow_event::CallTextFragment;

use crate::columns::shortened;

/// A line that is erased before other output. It says what the run waits for, or how much of a call
/// is written.
pub(crate) struct Status {
    model: String,
    /// The time since the last output.
    silent: Duration,
    call: Option<PartialCall>,
    /// The line that is shown, or an empty string.
    line: String,
}

/// A call that is being written.
struct PartialCall {
    name: String,
    bytes: usize,
    since: Duration,
}

/// The time after which a wait is shown.
const PATIENCE: Duration = Duration::from_secs(1);

impl Status {
    pub(crate) fn new(model: &str) -> Self {
        let model = shortened(model, 40);
        Self { model, silent: Duration::ZERO, call: None, line: String::new() }
    }

    /// Records that other output follows, and returns whether a line must be erased first.
    pub(crate) fn clear(&mut self) -> bool {
        self.silent = Duration::ZERO;
        self.call = None;
        !std::mem::take(&mut self.line).is_empty()
    }

    /// Records a piece of a call, and returns whether a line about something else must be erased.
    pub(crate) fn grow(&mut self, piece: CallTextFragment<'_>) -> bool {
        self.silent = Duration::ZERO;
        let begins = self.call.is_none();
        let call = self.call.get_or_insert_with(|| PartialCall {
            name: String::new(),
            bytes: 0,
            since: Duration::ZERO,
        });
        call.bytes += piece.text.len();
        if let (true, Some(name)) = (call.name.is_empty(), piece.name) {
            call.name = shortened(name, 60);
        }
        begins && !std::mem::take(&mut self.line).is_empty()
    }

    /// Records that some time has passed.
    pub(crate) fn tick(&mut self, passed: Duration) {
        self.silent += passed;
        if let Some(call) = &mut self.call {
            call.since += passed;
        }
    }

    /// Returns the line to show in so many columns, if it differs from the one that is shown.
    pub(crate) fn line(&mut self, columns: usize) -> Option<&str> {
        let waits = self.silent.as_secs();
        // A wrapped line could not be erased, and text in the last column may wrap.
        let room = columns.saturating_sub(1);
        let line = match &self.call {
            Some(call) if call.since > PATIENCE => {
                let waits = (waits > 1).then(|| format!(" (waiting, {waits} s)"));
                let grown = format!("… {}{}", size(call.bytes), waits.unwrap_or_default());
                let name = fit(&call.name, room.saturating_sub(width("→  ") + width(&grown)));
                let blank = if name.is_empty() { "" } else { " " };
                format!("→ {name}{blank}{grown}")
            }
            None if self.silent >= PATIENCE => format!("… waiting, {waits} s ({})", self.model),
            _ => return None,
        };
        let line = fit(&line, room);
        if line == self.line {
            return None;
        }
        self.line = line;
        Some(&self.line)
    }
}

/// Returns the beginning of a line that fits into so many columns.
fn fit(line: &str, mut room: usize) -> String {
    let fits = |char: &char| {
        let fits = columns_of(*char) <= room;
        room = room.saturating_sub(columns_of(*char));
        fits
    };
    line.chars().take_while(fits).collect()
}

fn width(line: &str) -> usize {
    line.chars().map(columns_of).sum()
}

/// Returns the most columns that a character takes.
fn columns_of(char: char) -> usize {
    if char.is_ascii() { 1 } else { 2 }
}

pub(crate) fn size(bytes: usize) -> String {
    match bytes {
        0..1_000 => format!("{bytes} B"),
        1_000..1_000_000 => format!("{:.1} KB", bytes as f64 / 1e3),
        _ => format!("{:.1} MB", bytes as f64 / 1e6),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn grow(status: &mut Status, name: Option<&str>, bytes: usize) -> bool {
        status.grow(CallTextFragment { call: 1, id: None, name, text: &"x".repeat(bytes) })
    }

    #[test]
    fn a_call_that_takes_long_is_told() {
        let mut status = Status::new("m");
        grow(&mut status, None, 10);
        status.tick(SECOND);
        assert_eq!(status.line(80), None);
        grow(&mut status, None, 10);
        status.tick(SECOND);
        assert_eq!(status.line(80), Some("→ … 20 B"));
        assert_eq!(status.line(80), None, "it stands there");
        assert!(!grow(&mut status, Some("file_write"), 3330), "it is not taken back");
        assert_eq!(status.line(80), Some("→ file_write … 3.4 KB"));
        grow(&mut status, Some("file_write"), 10);
        assert_eq!(status.line(80), None, "nobody would see a difference");
        status.tick(SECOND);
        status.tick(SECOND);
        assert_eq!(status.line(80), Some("→ file_write … 3.4 KB (waiting, 2 s)"));
        assert!(status.clear());
        assert_eq!(status.line(80), None);
    }

    #[test]
    fn silence_is_told_until_something_comes() {
        let mut status = Status::new("m");
        assert_eq!(status.line(80), None);
        status.tick(SECOND);
        assert_eq!(status.line(80), Some("… waiting, 1 s (m)"));
        status.tick(SECOND);
        assert_eq!(status.line(80), Some("… waiting, 2 s (m)"));
        assert!(grow(&mut status, None, 1), "the line is taken back");
        assert!(!status.clear());
    }

    #[test]
    fn no_line_is_wrapped() {
        let mut status = Status::new("m");
        grow(&mut status, Some("東京\x1b[2J"), 3000);
        status.tick(SECOND * 2);
        grow(&mut status, None, 400);
        for columns in 0..60 {
            status.line.clear();
            let line = status.line(columns).map(str::to_owned).unwrap_or_default();
            assert!(width(&line) < columns.max(1), "{columns} {line:?}");
            assert!(!line.contains('\x1b'));
            // The name is cut before the size.
            assert!(columns < 15 || line.ends_with("… 3.4 KB"), "{columns} {line:?}");
        }
    }
}
