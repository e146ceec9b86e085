//! The record of a change: a header of JSON, and the contents before the change.
//!
//! This module writes and reads records; the folder places them.

use std::io::{self, BufRead, Read as _};

use serde::{Deserialize, Serialize};
use silcrow_tool::CallContext;

use crate::file_state::FileState;

/// A change of files, by a call or by an undo. The contents before it follow in the same file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ChangeRecord {
    pub(crate) format: u32,
    pub(crate) kind: ChangeKind,
    pub(crate) origin: ChangeOrigin,
    /// The time in seconds since 1970, by the clock of the file system.
    pub(crate) time: u64,
    pub(crate) root: RootName,
    /// The numbers of the records that an undo undoes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) undoes: Vec<u64>,
    /// The files, each once.
    pub(crate) files: Vec<ChangedFile>,
    /// The files that a command changed and that cannot be restored, and why.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) uncovered: Vec<(String, String)>,
    /// The length of the header in the file that it was read from.
    #[serde(skip)]
    pub(crate) header_length: u64,
}

/// The origin of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ChangeKind {
    /// A call of a tool.
    Call,
    /// An undo of calls.
    Undo,
    /// An undo of an undo.
    Redo,
}

/// The call that changes a file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ChangeOrigin {
    pub(crate) conversation: String,
    pub(crate) turn: u32,
    pub(crate) call: String,
    pub(crate) agents: Vec<String>,
}

impl ChangeOrigin {
    pub(crate) fn from_context(context: &CallContext) -> Self {
        Self {
            conversation: context.conversation_id().to_owned(),
            turn: context.turn(),
            call: context.call_id().to_owned(),
            agents: context.agent_path().to_vec(),
        }
    }
}

/// The folder that the paths of a record are relative to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RootName {
    /// The result of [`Root::identity`](crate::Root::identity).
    pub(crate) identity: String,
    pub(crate) path: String,
}

/// A file before and after a change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ChangedFile {
    /// Its path from the root, without links.
    pub(crate) path: String,
    pub(crate) before: FileState,
    pub(crate) after: FileState,
    /// Its permissions before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) mode: Option<u32>,
    /// The length of the content before, if it is kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) kept: Option<u64>,
    /// In an undo, the number of the record whose earlier content is the content after the undo.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) source: Option<u64>,
    /// Its permissions after, if a change of them counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) mode_after: Option<u32>,
    /// Whether a command made the change, so that links, folders and permissions count, and the
    /// path is [encoded](super::entry_path).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) exact: bool,
}

impl ChangedFile {
    /// Creates the change of a file that a tool made.
    pub(crate) const fn new(path: String, before: FileState, after: FileState) -> Self {
        let (mode, kept, source) = (None, None, None);
        Self { path, before, after, mode, kept, source, mode_after: None, exact: false }
    }

    /// Returns whether the present entry has to be removed first: an entry, or a folder whose place
    /// something else takes.
    pub(crate) fn leaves_first(&self) -> bool {
        self.after == FileState::Missing || self.before == FileState::Folder
    }

    /// Returns whether it is another file after the change than before.
    pub(crate) fn differs(&self) -> bool {
        self.before != self.after || (self.exact && self.mode != self.mode_after)
    }
}

impl ChangeRecord {
    /// Returns the header as a line of JSON.
    pub(crate) fn header(&self) -> io::Result<String> {
        Ok(serde_json::to_string(self)? + "\n")
    }

    /// Reads the header; the reader is then at the first content.
    pub(crate) fn read(reader: &mut impl BufRead) -> io::Result<Self> {
        let mut header = String::new();
        reader.take(MAX_HEADER).read_line(&mut header)?;
        let mut record: Self = serde_json::from_str(&header)?;
        record.header_length = header.len() as u64;
        match record.format {
            FORMAT => Ok(record),
            format => Err(io::Error::other(format!("it has the format {format}"))),
        }
    }

    /// Returns the place of the content before, for a file that has it: the number of bytes after
    /// the header, and its length.
    pub(crate) fn place(&self, path: &str) -> Option<(u64, u64)> {
        let at = self.files.iter().position(|file| file.path == path)?;
        let skipped = self.files[..at].iter().filter_map(|file| file.kept).sum();
        Some((skipped, self.files[at].kept?))
    }

    pub(crate) fn file(&self, path: &str) -> Option<&ChangedFile> {
        self.files.iter().find(|file| file.path == path)
    }
}

/// The version of the header.
pub(crate) const FORMAT: u32 = 1;

/// The maximum length of a header, in bytes.
const MAX_HEADER: u64 = 64 << 20;
