//! The contents of files that a conversation knows from this process and from earlier ones.
//!
//! The root keeps it in memory, and a journal keeps it for later processes. All functions block.

use std::path::{Path, PathBuf};

use crate::changes::ChangeJournal;
use crate::known_files::KnownContent;
use crate::root::Root;

/// Records that a conversation knows the content of the file at a path from the root.
pub(crate) fn note_known(
    root: &Root,
    journal: Option<&ChangeJournal>,
    conversation: &str,
    path: PathBuf,
    content: KnownContent,
) {
    if root.known().get(conversation, &path).as_ref() == Some(&content) {
        return;
    }
    if let Some(journal) = journal {
        journal.note_known(root, conversation, &path, &content);
    }
    root.known().note(conversation, path, content);
}

/// Returns the content that a conversation knows of a file.
pub(crate) fn known_content(
    root: &Root,
    journal: Option<&ChangeJournal>,
    conversation: &str,
    path: &Path,
) -> Option<KnownContent> {
    let known = root.known().get(conversation, path);
    known.or_else(|| journal?.known(root, conversation, path))
}
