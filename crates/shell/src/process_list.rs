//! The background commands of `shell` as a person looks at them.
//!
//! What a person reads here stays unread for the model. This module does not know how a command runs.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use crate::background::BackgroundCommand;
use crate::processes::ShellProcesses;
use crate::report::status;

/// A command that runs in the background, or has, until the model has read its end.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ListedProcess {
    /// The id, such as `p1`.
    pub id: String,
    /// The text of the command.
    pub command: String,
    /// The folder that it runs in, relative to the root.
    pub folder: String,
    /// The time since it was started.
    pub age: Duration,
    /// How it ended, in words; `None` while it runs.
    pub ended: Option<String>,
    /// The last lines that it wrote, on both channels: at most 40, of at most 4096 bytes each. They
    /// are as the command wrote them, so they may have control characters.
    pub output: Vec<String>,
}

impl ShellProcesses {
    /// Returns the background commands of a conversation, the oldest first.
    pub fn list(&self, conversation: &str) -> Vec<ListedProcess> {
        let own = self.background().of_conversation(conversation);
        own.iter().map(|(id, command)| listed(id, command)).collect()
    }

    /// Stops a background command of a conversation, and waits until its last process has ended. The
    /// model still reads its end. Returns whether there is such a command.
    pub async fn stop(&self, conversation: &str, id: &str) -> bool {
        let own = self.background().of_conversation(conversation);
        let Some((_, command)) = own.into_iter().find(|(known, _)| known == id) else {
            return false;
        };
        command.stop().await;
        true
    }
}

fn listed(id: &str, command: &Arc<BackgroundCommand>) -> ListedProcess {
    let ended = command.state().ended.map(|ended| match ended {
        Ok(ended) => status(&ended),
        Err(why) => why.to_string(),
    });
    ListedProcess {
        id: id.to_owned(),
        command: command.command.clone(),
        folder: command.folder.clone(),
        age: command.since.elapsed(),
        ended,
        output: command.last_lines(),
    }
}

/// The last lines of what a command wrote.
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

    /// Returns the lines, also the one that has not ended.
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
    fn last_lines_are_kept_however_they_come() {
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
