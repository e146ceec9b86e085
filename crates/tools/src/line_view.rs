//! The lines of a file that `file_read` shows, as they are or with their numbers.
//!
//! This module cuts and numbers lines, without files or tools.

use std::fmt::Write as _;
use std::io::{self, BufRead};

use silcrow_tool::{CancellationToken, ToolError};

use crate::line_source::LineSource;

/// The lines to show.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LineRange {
    /// The number of the first line, from 1.
    pub(crate) offset: u64,
    /// The number of lines.
    pub(crate) limit: u64,
    /// The first byte to show of the first line, from 1.
    pub(crate) column: u64,
    /// Whether each line begins with its number. Otherwise the text is exactly as in the file,
    /// except for lines that are cut.
    pub(crate) has_numbers: bool,
    /// The most bytes that are shown.
    most: usize,
    /// Whether all of the file fits.
    is_whole: bool,
}

impl LineRange {
    /// Creates a range from arguments, which count from 1. Lines have numbers if a part of the file
    /// is asked for.
    pub(crate) fn new(
        offset: Option<u64>,
        limit: Option<u64>,
        column: Option<u64>,
        numbers: Option<bool>,
    ) -> Result<Self, ToolError> {
        let given = [("offset", offset), ("limit", limit), ("column", column)];
        if let Some((name, _)) = given.iter().find(|(_, value)| *value == Some(0)) {
            return Err(ToolError::new(format!("`{name}` is 0, but it counts from 1")));
        }
        let is_part = given.iter().any(|(_, value)| value.is_some());
        Ok(Self {
            offset: offset.unwrap_or(1),
            limit: limit.unwrap_or(u64::MAX),
            column: column.unwrap_or(1),
            has_numbers: numbers.unwrap_or(is_part),
            most: MAX_BYTES,
            is_whole: false,
        })
    }

    /// Sets the number of bytes that a call may return, and the file's number of bytes.
    pub(crate) fn within(self, cap: usize, size: u64) -> Self {
        let most = MAX_BYTES.min(cap);
        let is_whole = !self.has_numbers && size <= most as u64;
        Self { most, is_whole, ..self }
    }

    /// Returns the maximum number of bytes that are shown of a line. If the file is short enough,
    /// no line is cut, and a line that is requested alone fills the available space.
    const fn longest(&self) -> usize {
        match self.is_whole {
            true => self.most,
            false if self.limit == 1 => self.most.saturating_sub(MARGIN),
            false if self.most < MAX_LINE + MARGIN => self.most.saturating_sub(MARGIN),
            false => MAX_LINE,
        }
    }

    const fn lines(&self) -> u64 {
        if self.limit > MAX_LINES { MAX_LINES } else { self.limit }
    }
}

/// Lines of a file with their numbers.
#[derive(Debug, Default)]
pub(crate) struct LineView {
    pub(crate) text: String,
    /// The number of lines that are shown.
    pub(crate) shown: u64,
    /// The first line that is cut.
    pub(crate) cut: Option<CutLine>,
    /// The number of lines that are cut.
    pub(crate) cuts: u64,
    /// The number of the next line, or `None` at the end.
    pub(crate) next: Option<u64>,
    /// The number of lines of the file, if its end was read.
    pub(crate) lines: Option<u64>,
    /// The number of bytes up to the next line.
    pub(crate) read: u64,
    /// The length of a line that was read and does not fit.
    unshown: u64,
    /// The number of bytes that are not UTF-8.
    pub(crate) wrong: usize,
    /// The numbers of shown lines that end with `\n`, and of those that end with `\r\n`.
    pub(crate) ends: (u64, u64),
}

/// A line that is only partly shown.
#[derive(Debug)]
pub(crate) struct CutLine {
    pub(crate) number: u64,
    /// The column at which the next part begins.
    pub(crate) column: u64,
    /// Its length in bytes, such as `3000 bytes`.
    pub(crate) length: String,
}

impl LineView {
    /// Reads the lines of a range from text in UTF-8.
    pub(crate) fn read(
        reader: impl BufRead,
        range: LineRange,
        cancel: &CancellationToken,
    ) -> io::Result<Self> {
        let mut source = LineSource::new(reader, MAX_READ, cancel);
        let mut view = Self::default();
        let mut number = 1;
        while number < range.offset && source.next(0, 0)?.is_some() {
            number += 1;
        }
        while view.shown < range.lines() {
            let skip = if view.shown == 0 { range.column - 1 } else { 0 };
            // Only the first line can be longer than the space.
            let margin = if range.is_whole { 0 } else { MARGIN };
            let left = range.most.saturating_sub(view.text.len() + margin);
            let room = if view.shown == 0 { range.longest() } else { range.longest().min(left) };
            let begin = source.read();
            // One byte more says whether there are more.
            let Some(line) = source.next(skip, room + 1)? else { break };
            let more = line.length > skip + room as u64;
            if more && view.shown > 0 && room == left {
                view.unshown = source.read() - begin;
                break;
            }
            let mut bytes = &line.bytes[..];
            if line.has_end && !more {
                view.ends.0 += 1;
                view.ends.1 += u64::from(bytes.ends_with(b"\r"));
            }
            if range.has_numbers {
                bytes =
                    bytes.strip_suffix(b"\r").filter(|_| line.has_end && !more).unwrap_or(bytes);
                let _ = write!(view.text, "{number}\t");
            }
            let end = if more { floor_boundary(bytes, room) } else { bytes.len() };
            let start = if skip > 0 { half(bytes).min(end) } else { 0 };
            view.push(&bytes[start..end]);
            let is_cut = more || (!line.has_end && source.is_stopped());
            if is_cut {
                let column = skip + end as u64 + 1;
                let least = if source.is_stopped() { "more than " } else { "" };
                let length = format!("{least}{} bytes", line.length);
                if room == MAX_LINE {
                    let _ = write!(view.text, "…[{length}]");
                }
                view.cuts += 1;
                view.cut.get_or_insert(CutLine { number, column, length });
            }
            if line.has_end || (is_cut && range.has_numbers) {
                view.text.push('\n');
            }
            number += 1;
            view.read = source.read();
        }
        if range.has_numbers && view.text.ends_with('\n') {
            view.text.pop();
        }
        let following = source.count()? + u64::from(view.unshown > 0);
        let following = (!source.is_stopped()).then_some(following);
        view.lines = following.map(|following| number - 1 + following);
        let is_more = following != Some(0) && view.shown > 0;
        view.next = is_more.then_some(number);
        Ok(view)
    }

    /// Returns whether all lines that are shown end with `\r\n`.
    pub(crate) const fn is_windows(&self) -> bool {
        self.ends.0 > 0 && self.ends.0 == self.ends.1
    }

    fn push(&mut self, bytes: &[u8]) {
        for chunk in bytes.utf8_chunks() {
            self.text.push_str(chunk.valid());
            if !chunk.invalid().is_empty() {
                self.text.push(char::REPLACEMENT_CHARACTER);
                self.wrong += chunk.invalid().len();
            }
        }
        self.shown += 1;
    }
}

/// Returns the end of the last whole character in the first `end` bytes.
fn floor_boundary(bytes: &[u8], end: usize) -> usize {
    let is_inside = |at: &usize| bytes.get(*at).is_some_and(|byte| byte & 0xc0 == 0x80);
    (end.saturating_sub(3)..=end).rev().find(|at| !is_inside(at)).unwrap_or(end)
}

/// Returns the number of bytes at the start that belong to a character before them.
fn half(bytes: &[u8]) -> usize {
    bytes.iter().take(3).take_while(|byte| **byte & 0xc0 == 0x80).count()
}

/// The number of bytes that are shown at most, and of lines.
const MAX_BYTES: usize = 30 << 10;
const MAX_LINES: u64 = 2000;

/// The bytes that a number, a line break and a mark of a cut may add to a line.
const MARGIN: usize = 64;

/// The number of bytes that are shown of a line among others.
const MAX_LINE: usize = 2000;

/// The number of bytes that are read in search of lines.
const MAX_READ: u64 = 256 << 20;
