//! The lines of a call's output, joined from the pieces in which it arrives.
//!
//! A line ends with a line break, or with the output. Text after a carriage return replaces the
//! text before it, as on a terminal.

use std::collections::BTreeMap;

use silcrow_event::Progress;

/// Joins the pieces of a call's output to lines, each channel by itself.
#[derive(Debug, Default)]
pub(crate) struct OutputLines {
    /// The lines that have not ended, by channel.
    open: BTreeMap<String, UnendedLine>,
}

#[derive(Debug, Default)]
struct UnendedLine {
    text: String,
    /// Whether the last character was a carriage return.
    returns: bool,
}

impl OutputLines {
    /// Takes a piece and returns the lines that it ends, without their line breaks.
    pub(crate) fn push(&mut self, piece: &Progress) -> Vec<String> {
        let mut ended = Vec::new();
        if piece.content.is_empty() {
            return ended;
        }
        let open = self.open.entry(piece.channel.clone()).or_default();
        for part in piece.content.split_inclusive(['\n', '\r']) {
            let text = part.trim_end_matches(['\n', '\r']);
            open.push(text);
            match part.as_bytes().last() {
                Some(b'\n') => ended.push(std::mem::take(open).text),
                Some(b'\r') => open.returns = true,
                _ => {}
            }
        }
        ended
    }

    /// Ends the output and returns the lines that had no line break, in the order of the channels'
    /// names.
    pub(crate) fn finish(self) -> impl Iterator<Item = String> {
        self.open.into_values().map(|open| open.text).filter(|text| !text.is_empty())
    }
}

impl UnendedLine {
    /// Adds text up to the greatest length.
    fn push(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        if std::mem::take(&mut self.returns) {
            self.text.clear();
        }
        let room = MOST_BYTES.saturating_sub(self.text.len());
        self.text.push_str(&text[..text.floor_char_boundary(room)]);
    }
}

/// The number of bytes of a line that are kept.
const MOST_BYTES: usize = 1024;

#[cfg(test)]
mod tests {
    use super::*;

    fn piece(channel: &str, content: &str) -> Progress {
        Progress { id: "a1".into(), channel: channel.into(), n: 0, content: content.into() }
    }

    fn lines(pieces: &[&str]) -> Vec<String> {
        let mut output = OutputLines::default();
        let mut lines: Vec<_> =
            pieces.iter().flat_map(|text| output.push(&piece("stdout", text))).collect();
        lines.extend(output.finish());
        lines
    }

    #[test]
    fn output_lines_are_independent_of_chunking() {
        let text = "one\r\ntwo\x1b[2J\n\n10 %\r20 %\r\r\n\rdé東\rlast\r";
        let expected = ["one", "two\x1b[2J", "", "20 %", "last"];
        assert_eq!(lines(&[text]), expected);
        let bounds: Vec<_> = (0..=text.len()).filter(|at| text.is_char_boundary(*at)).collect();
        for (index, first) in bounds.iter().enumerate() {
            for second in &bounds[index..] {
                let pieces = [&text[..*first], &text[*first..*second], &text[*second..]];
                assert_eq!(lines(&pieces), expected, "{first} {second}");
            }
        }
    }

    #[test]
    fn channels_do_not_mix_within_a_line() {
        let mut output = OutputLines::default();
        assert!(output.push(&piece("stdout", "a\r")).is_empty());
        assert_eq!(output.push(&piece("stderr", "x\n")), ["x"]);
        assert_eq!(output.push(&piece("stdout", "\nb")), ["a"]);
        assert!(output.push(&piece("stderr", "y")).is_empty());
        assert_eq!(output.finish().collect::<Vec<_>>(), ["y", "b"]);
    }

    #[test]
    fn endless_line_is_bounded_and_stays_valid() {
        let mut output = OutputLines::default();
        for _ in 0..1_000 {
            assert!(output.push(&piece("stdout", &"é東".repeat(1_000))).is_empty());
        }
        assert!(output.push(&piece("stdout", "")).is_empty());
        let [line] = &output.push(&piece("stdout", "end\n"))[..] else { panic!("one line") };
        assert!(line.len() <= MOST_BYTES && line.len() > MOST_BYTES - 4, "{}", line.len());
        // A carriage return begins the line again.
        let long = "x".repeat(MOST_BYTES * 2);
        assert_eq!(lines(&[&long, "\r", "short\n"]), ["short"]);
    }
}
