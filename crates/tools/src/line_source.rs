//! The lines of a file of any length, read without keeping more than a part of each.
//!
//! The state is the position in the file, always at the start of a line until a bound is reached.
//! This module handles bytes, without files or text.

use std::io::{self, BufRead};

use silcrow_tool::CancellationToken;

/// Reads one line after the other, up to a number of bytes.
pub(crate) struct LineSource<'a, R> {
    reader: R,
    cancel: &'a CancellationToken,
    /// The number of bytes that may still be read.
    left: u64,
    read: u64,
}

/// A part of a line, and facts about the whole.
pub(crate) struct RawLine {
    /// The bytes that were kept, without the line end.
    pub(crate) bytes: Vec<u8>,
    /// The length of the line without its end, up to the position that was read.
    pub(crate) length: u64,
    /// Whether it ends with a line break.
    pub(crate) has_end: bool,
}

impl<'a, R: BufRead> LineSource<'a, R> {
    pub(crate) fn new(reader: R, max: u64, cancel: &'a CancellationToken) -> Self {
        Self { reader, cancel, left: max, read: 0 }
    }

    /// Returns the number of bytes that were read.
    pub(crate) const fn read(&self) -> u64 {
        self.read
    }

    /// Returns whether as many bytes were read as may be, or the call was cancelled.
    pub(crate) fn is_stopped(&self) -> bool {
        self.left == 0 || self.cancel.is_cancelled()
    }

    /// Returns the next line, with at most `room` of its bytes from the byte `skip` on, or `None` at
    /// the end.
    pub(crate) fn next(&mut self, skip: u64, room: usize) -> io::Result<Option<RawLine>> {
        let mut line = RawLine { bytes: Vec::new(), length: 0, has_end: false };
        let begin = self.read;
        while !line.has_end && !self.is_stopped() {
            let buffer = self.reader.fill_buf()?;
            let buffer =
                &buffer[..buffer.len().min(usize::try_from(self.left).unwrap_or(usize::MAX))];
            if buffer.is_empty() {
                break;
            }
            // For bytes `contains` is much faster than `position` if there is none.
            let end = match buffer.contains(&b'\n') {
                true => buffer.iter().position(|byte| *byte == b'\n'),
                false => None,
            };
            let part = &buffer[..end.unwrap_or(buffer.len())];
            let from = skip.saturating_sub(line.length).min(part.len() as u64) as usize;
            let kept = &part[from..];
            line.bytes.extend_from_slice(&kept[..kept.len().min(room - line.bytes.len())]);
            line.length += part.len() as u64;
            line.has_end = end.is_some();
            let used = part.len() + usize::from(line.has_end);
            self.reader.consume(used);
            self.read += used as u64;
            self.left -= used as u64;
        }
        Ok((self.read > begin).then_some(line))
    }

    /// Counts the lines that follow.
    pub(crate) fn count(&mut self) -> io::Result<u64> {
        let mut lines = 0;
        let mut last = b'\n';
        while !self.is_stopped() {
            let buffer = self.reader.fill_buf()?;
            let buffer =
                &buffer[..buffer.len().min(usize::try_from(self.left).unwrap_or(usize::MAX))];
            let Some(end) = buffer.last() else { break };
            last = *end;
            lines += buffer.iter().filter(|byte| **byte == b'\n').count() as u64;
            let used = buffer.len();
            self.reader.consume(used);
            self.read += used as u64;
            self.left -= used as u64;
        }
        Ok(lines + u64::from(last != b'\n'))
    }
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use super::*;

    #[test]
    fn lines_are_read_wherever_the_buffer_ends() {
        let text = b"one\n\ntwo and more\nlast";
        for buffer in 1..30 {
            let cancel = CancellationToken::new();
            let reader = BufReader::with_capacity(buffer, &text[..]);
            let mut lines = LineSource::new(reader, u64::MAX, &cancel);
            let mut found = Vec::new();
            while let Some(line) = lines.next(1, 3).unwrap() {
                found.push((line.bytes, line.length, line.has_end));
            }
            let expected: [(&[u8], u64, bool); 4] =
                [(b"ne", 3, true), (b"", 0, true), (b"wo ", 12, true), (b"ast", 4, false)];
            let expected = expected.map(|(bytes, length, end)| (bytes.to_vec(), length, end));
            assert_eq!(found, expected, "{buffer}");
            assert_eq!(lines.read(), text.len() as u64);
            let reader = BufReader::with_capacity(buffer, &text[..]);
            assert_eq!(LineSource::new(reader, u64::MAX, &cancel).count().unwrap(), 4);
        }
    }

    #[test]
    fn a_bound_ends_the_reading() {
        let cancel = CancellationToken::new();
        let mut lines = LineSource::new(&b"one\ntwo\nthree"[..], 6, &cancel);
        assert!(lines.next(0, 9).unwrap().unwrap().has_end);
        let cut = lines.next(0, 9).unwrap().unwrap();
        assert!(!cut.has_end && lines.is_stopped());
        assert_eq!(cut.bytes, b"tw");
        assert!(lines.next(0, 9).unwrap().is_none());
    }
}
