//! A reader of lines with a buffer of fixed size.
//!
//! The buffer holds a part of the input. A reader is at the start of a line, or within a long line,
//! of which it has returned a piece.

use std::io::{self, Read};

/// Reads lines in a buffer of fixed size.
///
/// A line that does not fit is returned in pieces. They overlap, so that each short text is whole
/// in one of them.
pub(crate) struct LineReader<R> {
    source: R,
    buffer: Vec<u8>,
    /// The start of the bytes in the buffer that were not returned yet.
    start: usize,
    /// The end of the bytes in the buffer.
    end: usize,
    /// A position with no line break between `start` and it.
    seen: usize,
    overlap: usize,
    number: u64,
    /// Whether a piece of the current line was returned.
    in_line: bool,
}

/// A line, without its line break, or a piece of one.
pub(crate) struct LinePiece<'a> {
    /// The number of the line, from 1. All pieces of a line have the same number.
    pub(crate) number: u64,
    pub(crate) bytes: &'a [u8],
    /// Whether the line continues before this piece, and after it.
    pub(crate) more: (bool, bool),
}

impl<R: Read> LineReader<R> {
    pub(crate) fn new(source: R, overlap: usize) -> Self {
        let overlap = overlap.min(MAX_LINE / 2);
        let buffer = vec![0; MAX_LINE];
        Self { source, buffer, start: 0, end: 0, seen: 0, overlap, number: 1, in_line: false }
    }

    /// Returns the next line or piece of a line, or `None` at the end.
    pub(crate) fn next(&mut self) -> io::Result<Option<LinePiece<'_>>> {
        loop {
            let unseen = &self.buffer[self.seen..self.end];
            if let Some(len) = unseen.iter().position(|byte| *byte == b'\n') {
                let end = self.seen + len;
                return Ok(Some(self.take(end, end + 1)));
            }
            self.seen = self.end;
            if self.start == 0 && self.end == self.buffer.len() {
                // In UTF-8 text the next piece begins with the first byte of a character.
                let mut near = (0..4).map(|more| self.end - self.overlap - more);
                let next = near.find(|at| self.buffer.get(*at).is_none_or(|b| b & 0xc0 != 0x80));
                let next = next.unwrap_or(self.end - self.overlap);
                return Ok(Some(self.take(self.end, next)));
            }
            if self.fill()? == 0 {
                let is_end = self.start == self.end;
                return Ok((!is_end).then(|| self.take(self.end, self.end)));
            }
        }
    }

    /// Returns the bytes up to `end`. The next piece or line begins at `next`.
    fn take(&mut self, end: usize, next: usize) -> LinePiece<'_> {
        let start = std::mem::replace(&mut self.start, next);
        self.seen = end.max(next);
        let number = self.number;
        let more = (std::mem::replace(&mut self.in_line, next < end), next < end);
        self.number += u64::from(next > end);
        LinePiece { number, bytes: &self.buffer[start..end], more }
    }

    /// Reads more bytes and returns their number, which is 0 at the end. A full buffer is moved to
    /// its start first.
    fn fill(&mut self) -> io::Result<usize> {
        if self.start > 0 && self.end == self.buffer.len() {
            self.buffer.copy_within(self.start..self.end, 0);
            self.seen -= self.start;
            self.end -= self.start;
            self.start = 0;
        }
        loop {
            match self.source.read(&mut self.buffer[self.end..]) {
                Ok(read) => {
                    self.end += read;
                    return Ok(read);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}

/// The longest line, or piece of one, in bytes.
const MAX_LINE: usize = 64 << 10;
