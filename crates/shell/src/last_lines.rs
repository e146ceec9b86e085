//! The last lines of a command's output, of bounded number and length.
//!
//! This module handles bytes and line breaks, for any reader.

use std::collections::VecDeque;

/// The last lines of a command's output.
#[derive(Debug)]
pub(crate) struct LastLines {
    lines: VecDeque<Vec<u8>>,
    /// The line that has not ended.
    open: Vec<u8>,
}

impl LastLines {
    pub(crate) const fn new() -> Self {
        Self { lines: VecDeque::new(), open: Vec::new() }
    }

    /// Takes a piece of output.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            let room = LONGEST.saturating_sub(self.open.len());
            let text = piece.strip_suffix(b"\n").unwrap_or(piece);
            self.open.extend_from_slice(&text[..text.len().min(room)]);
            if piece.ends_with(b"\n") {
                if self.lines.len() == MOST {
                    self.lines.pop_front();
                }
                self.lines.push_back(std::mem::take(&mut self.open));
            }
        }
    }

    /// Returns the lines, including an unfinished last one.
    pub(crate) fn lines(&self) -> Vec<String> {
        let open = Some(&self.open).filter(|open| !open.is_empty());
        let all = self.lines.iter().chain(open);
        let skipped = self.lines.len() + usize::from(open.is_some());
        let lines = all.skip(skipped.saturating_sub(MOST));
        lines.map(|line| String::from_utf8_lossy(line).into_owned()).collect()
    }
}

/// The number of lines that are kept.
const MOST: usize = 40;

/// The length of the longest line that is kept whole, in bytes.
const LONGEST: usize = 4096;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn last_lines_are_kept_under_any_chunking() {
        let mut whole = LastLines::new();
        let text: String = (0..100).map(|line| format!("line {line}\n")).collect();
        whole.push(format!("{text}open").as_bytes());
        let lines = whole.lines();
        assert_eq!(lines.len(), MOST);
        assert_eq!((&*lines[0], &*lines[MOST - 1]), ("line 61", "open"));
        let mut bytes = LastLines::new();
        format!("{text}open").bytes().for_each(|byte| bytes.push(&[byte]));
        assert_eq!(bytes.lines(), lines);
        let mut long = LastLines::new();
        (0..100).for_each(|_| long.push(&[b'x'; 1000]));
        long.push(b"\n");
        assert_eq!(long.lines(), ["x".repeat(LONGEST)]);
    }
}
