//! The output of a command: two streams in the order of arrival, as a terminal would show them, in
//! bounded memory.

use silcrow_event::Truncation;
use silcrow_tool::HeadTail;

use crate::terminal_text::TerminalText;

/// A stream of a command's output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OutputChannel {
    Stdout,
    Stderr,
}

impl OutputChannel {
    /// Returns the name of the channel that progress is reported on.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Stdout => "stdout",
            Self::Stderr => "stderr",
        }
    }
}

/// A collector of both streams, which resolves redrawn text.
#[derive(Debug)]
pub(crate) struct CommandOutput {
    /// The bytes of each stream that are the beginning of a character.
    pending: [Vec<u8>; 2],
    terminal: TerminalText,
    kept: KeptText,
    is_empty: bool,
}

/// The kept output: all of it while it is short enough to be spilled, and then its two ends.
#[derive(Debug)]
struct KeptText {
    /// The complete output; `None` once it is too long.
    whole: Option<String>,
    ends: HeadTail,
}

impl CommandOutput {
    pub(crate) fn new() -> Self {
        Self {
            pending: [Vec::new(), Vec::new()],
            terminal: TerminalText::default(),
            kept: KeptText::new(),
            is_empty: true,
        }
    }

    /// Takes bytes of a stream, and returns the text that they complete, as it was written.
    pub(crate) fn push(&mut self, channel: OutputChannel, bytes: &[u8]) -> String {
        let pending = &mut self.pending[channel as usize];
        pending.extend_from_slice(bytes);
        self.is_empty &= bytes.is_empty();
        let complete = pending.len() - cut_character(pending);
        let text = String::from_utf8_lossy(&pending[..complete]).into_owned();
        pending.drain(..complete);
        self.terminal.push(channel as usize, &text, &mut |done| self.kept.push(done));
        text
    }

    /// Returns whether nothing was written since the beginning, or since the content was taken.
    pub(crate) const fn is_empty(&self) -> bool {
        self.is_empty
    }

    /// Returns the content, and the size of the omitted part.
    pub(crate) fn finish(mut self) -> (String, Option<Truncation>) {
        for channel in [OutputChannel::Stdout, OutputChannel::Stderr] {
            let rest = std::mem::take(&mut self.pending[channel as usize]);
            let rest = String::from_utf8_lossy(&rest);
            self.terminal.push(channel as usize, &rest, &mut |done| self.kept.push(done));
        }
        self.take()
    }

    /// Takes the content so far. Later output begins on an empty screen, but an incomplete
    /// character or sequence continues.
    pub(crate) fn take(&mut self) -> (String, Option<Truncation>) {
        self.terminal.flush(&mut |done| self.kept.push(done));
        self.is_empty = true;
        std::mem::replace(&mut self.kept, KeptText::new()).finish()
    }
}

impl KeptText {
    fn new() -> Self {
        Self { whole: Some(String::new()), ends: HeadTail::new(CAP) }
    }

    fn finish(self) -> (String, Option<Truncation>) {
        match self.whole {
            Some(whole) => (whole, None),
            None => self.ends.finish(),
        }
    }

    fn push(&mut self, text: &str) {
        self.ends.push(text);
        self.whole = self.whole.take().filter(|whole| whole.len() + text.len() <= KEPT);
        if let Some(whole) = &mut self.whole {
            whole.push_str(text);
        }
    }
}

/// Returns the length of the character that is cut at the end of the bytes, or 0.
fn cut_character(bytes: &[u8]) -> usize {
    (1..=bytes.len().min(3))
        .find(|length| {
            let tail = &bytes[bytes.len() - length..];
            std::str::from_utf8(tail)
                .is_err_and(|e| e.valid_up_to() == 0 && e.error_len().is_none())
        })
        .unwrap_or(0)
}

/// The length of the output that the model reads, in bytes.
pub(crate) const CAP: usize = 30 * 1024;
/// The length of the longest output that is kept whole, for the runner to keep it elsewhere.
const KEPT: usize = 4 * 1024 * 1024;
