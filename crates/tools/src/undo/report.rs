//! The request for an undo, and its report.

use std::ops::RangeInclusive;
use std::path::PathBuf;

use silcrow_event::{Entry, Event};

/// A request to undo changes of a conversation, or to undo such an undo.
///
/// ```
/// use silcrow_tools::UndoRequest;
///
/// let mut request = UndoRequest::new("c1").with_turns(3..=4);
/// request.dry_run = true;
/// assert_eq!((request.turns, request.call), (3..=4, None));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UndoRequest {
    /// The conversation. The changes of agents that its calls ran belong to it.
    pub conversation: String,
    /// The turns whose calls made the changes; not read if an undo is undone.
    pub turns: RangeInclusive<u32>,
    /// The id of the only call whose changes are meant, as opposed to all calls of the turns.
    pub call: Option<String>,
    /// Whether the last undo of the conversation is undone instead.
    pub redo: bool,
    /// Whether nothing is changed, and only the report is made.
    pub dry_run: bool,
    /// Whether the root may differ from the folder of the changes, for example because it was moved
    /// to another disk. The contents of the files decide then.
    pub moved_root: bool,
}

impl UndoRequest {
    /// Creates a request to undo all changes of a conversation.
    pub fn new(conversation: impl Into<String>) -> Self {
        Self {
            conversation: conversation.into(),
            turns: 0..=u32::MAX,
            call: None,
            redo: false,
            dry_run: false,
            moved_root: false,
        }
    }

    /// Creates a request to undo the changes of the last run of a conversation, from the last
    /// prompt that began one on. `entries` are the conversation's.
    pub fn of_last_run(conversation: impl Into<String>, entries: &[Entry]) -> Self {
        let is_prompt = |entry: &&Entry| matches!(entry.event, Event::User { .. });
        let begins = |entry: &&Entry| is_prompt(entry) && entry.opening.is_some();
        // A message to a running agent is a prompt that opens nothing.
        let prompts = || entries.iter().rev().filter(|entry| entry.agent_path.is_none());
        let prompt = prompts().find(begins).or_else(|| prompts().find(is_prompt));
        let first = prompt.and_then(|prompt| prompt.turn).unwrap_or_default();
        Self::new(conversation).with_turns(first..=u32::MAX)
    }

    /// Creates a request to undo the changes of one call.
    ///
    /// ```
    /// use silcrow_tools::UndoRequest;
    ///
    /// let request = UndoRequest::of_call("first", 3, "a1");
    /// assert_eq!((request.turns, request.call.as_deref()), (3..=3, Some("a1")));
    /// ```
    pub fn of_call(conversation: impl Into<String>, turn: u32, call: impl Into<String>) -> Self {
        Self { call: Some(call.into()), ..Self::new(conversation).with_turns(turn..=turn) }
    }

    /// Creates a request to undo the last undo of a conversation.
    pub fn redo(conversation: impl Into<String>) -> Self {
        Self { redo: true, ..Self::new(conversation) }
    }

    /// Limits the request to the changes of these turns.
    #[must_use]
    pub fn with_turns(self, turns: RangeInclusive<u32>) -> Self {
        Self { turns, ..self }
    }

    /// Sets that nothing is changed, and only the report is made.
    #[must_use]
    pub fn with_dry_run(self) -> Self {
        Self { dry_run: true, ..self }
    }

    /// Sets that the root may differ from the folder of the changes.
    #[must_use]
    pub fn with_moved_root(self) -> Self {
        Self { moved_root: true, ..self }
    }
}

/// The outcome of an undo.
///
/// If there is a refusal before the first file is restored, no file is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct UndoReport {
    /// The files that were restored, or that a dry run would restore.
    pub files: Vec<UndoneFile>,
    /// The files whose changes could not be undone.
    pub refusals: Vec<UndoRefusal>,
    /// The files that commands changed and nothing kept, such as long files and those that git
    /// ignores. They stay as they are, and everything else is undone nevertheless.
    pub uncovered: Vec<UndoRefusal>,
}

/// A file that was restored.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UndoneFile {
    /// Its path from the root.
    pub path: String,
    /// The difference that the undo made to it.
    pub outcome: FileOutcome,
}

/// The difference that an undo makes to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FileOutcome {
    /// It has its content from before the changes.
    Restored,
    /// It is removed, because the changes created it.
    Removed,
    /// Nothing, because it is already as it was before the changes.
    Unchanged,
}

impl FileOutcome {
    /// Returns the outcome as a word that programs may compare.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Restored => "restored",
            Self::Removed => "removed",
            Self::Unchanged => "unchanged",
        }
    }
}

/// A change that could not be undone.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UndoRefusal {
    /// The path of the file from the root.
    pub path: String,
    /// The reason, as a sentence without a period.
    pub why: String,
    /// A unified diff from the file's present contents to its contents before the changes, if both
    /// are short texts.
    pub diff: Option<String>,
    /// The folder of the changes, if it is not the root.
    pub root: Option<PathBuf>,
}

impl UndoRefusal {
    pub(crate) fn new(path: impl Into<String>, why: impl Into<String>) -> Self {
        Self { path: path.into(), why: why.into(), diff: None, root: None }
    }
}
