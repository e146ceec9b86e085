//! The contents of files that conversations know, kept in the folder of a journal for later
//! processes.
//!
//! Each conversation has a file with a line of JSON for each content that it has read or written;
//! the last line of a path counts. Content that cannot be kept or read is not known, and the model
//! reads the file again.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use silcrow_system::{SystemFolder as _, SystemOpen as _};

use super::ChangeJournal;
use crate::by_conversation::{file_name, is_of_call};
use crate::file_state::FileState;
use crate::known_files::KnownContent;
use crate::root::Root;

/// A content that a conversation knows.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct KnownLine {
    /// The result of [`Root::identity`].
    root: String,
    path: String,
    content: FileState,
}

impl ChangeJournal {
    /// Records that a conversation knows the content of a file. Blocks.
    pub(crate) fn note_known(
        &self,
        root: &Root,
        conversation: &str,
        path: &Path,
        content: &KnownContent,
    ) {
        if let (KnownContent::Exact(content), Some(path)) = (content, path.to_str()) {
            // Without a note the model reads the file again.
            let _ = self.append_known(root, conversation, path, content.clone());
        }
    }

    /// Returns the content that a conversation knows of a file. Blocks.
    pub(crate) fn known(
        &self,
        root: &Root,
        conversation: &str,
        path: &Path,
    ) -> Option<KnownContent> {
        let (root, path) = (root.identity().ok()?, path.to_str()?);
        let file = own().read(true).open(self.known_file(conversation)).ok()?;
        let mut text = String::new();
        file.take(MAX_LENGTH).read_to_string(&mut text).ok()?;
        let lines = text.lines().rev().filter_map(|line| serde_json::from_str(line).ok());
        let mut lines = lines.filter(|line: &KnownLine| line.root == root && line.path == path);
        lines.next().map(|line| KnownContent::Exact(line.content))
    }

    fn append_known(
        &self,
        root: &Root,
        conversation: &str,
        path: &str,
        content: FileState,
    ) -> io::Result<()> {
        let line = KnownLine { root: root.identity()?, path: path.to_owned(), content };
        let line = serde_json::to_string(&line)? + "\n";
        let file = self.known_file(conversation);
        if !self.folder.is_dir() {
            DirBuilder::new().recursive(true).private().create(&self.folder)?;
        }
        if fs::symlink_metadata(&file).is_ok_and(|file| file.len() > MAX_LENGTH / 2) {
            fs::remove_file(&file)?;
        }
        // One call of the system writes the whole line, also beside other processes.
        own().append(true).create(true).open(file)?.write_all(line.as_bytes())
    }

    fn known_file(&self, conversation: &str) -> PathBuf {
        self.folder.join(KNOWN.to_owned() + &file_name(conversation))
    }

    /// Removes the known contents of a conversation and of the conversations of its calls.
    pub(super) fn remove_known(&self, conversation: &str) -> io::Result<()> {
        let own = file_name(conversation);
        for entry in fs::read_dir(&self.folder)? {
            let entry = entry?;
            let name = entry.file_name();
            let name = name.to_str().and_then(|name| name.strip_prefix(KNOWN));
            if name.is_some_and(|name| name == own || is_of_call(name, &own)) {
                fs::remove_file(entry.path())?;
            }
        }
        Ok(())
    }
}

/// Returns options for a file that only its owner can access, and that is not a link.
fn own() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.private().without_links();
    options
}

/// The prefix of the names of these files, which no record has.
const KNOWN: &str = "known-";

/// The number of bytes that are read of such a file. One that is half as long is replaced.
const MAX_LENGTH: u64 = 2 << 20;
