//! The last lines that a server wrote beside the protocol, for a person who searches for an error.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

/// The last lines of a server's standard error, and of the lines of its standard output that are
/// not messages. Older lines are dropped.
#[derive(Clone, Debug, Default)]
pub(crate) struct ServerLog(Arc<Mutex<VecDeque<String>>>);

impl ServerLog {
    /// Adds a line, cut to its beginning.
    pub(crate) fn push(&self, line: &[u8]) {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let line = String::from_utf8_lossy(&line[..line.len().min(LONGEST)]).into_owned();
        let mut lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if lines.len() == MOST {
            lines.pop_front();
        }
        lines.push_back(line);
    }

    /// Returns the lines, the oldest first.
    pub(crate) fn lines(&self) -> Vec<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }

    /// Returns the last line that is not empty.
    pub(crate) fn last(&self) -> Option<String> {
        let lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        lines.iter().rev().find(|line| !line.trim().is_empty()).cloned()
    }
}

/// The number of bytes of a line that are kept.
pub(crate) const LONGEST: usize = 512;

/// The number of lines that are kept.
const MOST: usize = 100;
