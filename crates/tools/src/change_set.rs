//! Changes of several files, all of which happen, or none.
//!
//! Everything is recorded in the journal first, as one change. Then the files are written one after
//! the other, each only if it is still as it was read. If one fails, those before it are put back
//! and the record is withdrawn.

use std::path::Path;

use silcrow_tool::{CancellationToken, ToolError};

use crate::approved_risk::ApprovedRisk;
use crate::changes::{ChangeRecorder, ChangedFile};
use crate::file_state::FileState;
use crate::known_files::KnownContent;
use crate::messages;
use crate::root::Root;
use crate::write_target::WriteTarget;

/// A file that exists, and the content that it gets.
#[derive(Clone, Debug)]
pub(crate) struct FileChange {
    /// The path from the root, without links.
    pub(crate) path: String,
    pub(crate) old: Vec<u8>,
    pub(crate) new: Vec<u8>,
    /// The permissions of the file.
    pub(crate) mode: Option<u32>,
}

/// Makes all changes or none. The caller holds the root's lock of writes.
pub(crate) fn apply(
    root: &Root,
    changes: &[FileChange],
    recorder: Option<&ChangeRecorder>,
    cancel: &CancellationToken,
) -> Result<(), ToolError> {
    let not_recorded = |error| match changes.first() {
        Some(change) => messages::not_recorded(&change.path, &error),
        None => ToolError::new(error.to_string()),
    };
    let locked = recorder.map(|recorder| recorder.lock(cancel)).transpose();
    if cancel.is_cancelled() {
        return Err(ToolError::new("cancelled: all files are as they were"));
    }
    let recorded = locked.map_err(not_recorded)?.map(|locked| {
        let max = locked.max_kept();
        let files = changes.iter().map(|change| {
            let is_kept = change.old.len() as u64 <= max;
            let (before, after) =
                (FileState::from_content(&change.old), FileState::from_content(&change.new));
            let file = ChangedFile {
                mode: change.mode,
                kept: is_kept.then_some(change.old.len() as u64),
                ..ChangedFile::new(change.path.clone(), before, after)
            };
            (file, change.old.clone())
        });
        locked.record(root, files.collect())
    });
    let recorded = recorded.transpose().map_err(not_recorded)?;
    for (at, change) in changes.iter().enumerate() {
        let Err(why) = write(root, &change.path, &change.old, &change.new, cancel) else {
            continue;
        };
        let lost = put_back(root, &changes[..at]);
        if lost.is_empty() {
            if let Some(recorded) = recorded {
                recorded.withdraw();
            }
            return Err(ToolError::new(format!("{why}; all files are as they were")));
        }
        // The record says which files have changed, so that an undo still finds them.
        if let Some(recorded) = recorded {
            recorded.complete();
        }
        let lost: Vec<_> = lost.iter().map(|path| messages::quoted(path)).collect();
        let next = "ask the person to look at them; `silcrow undo` may take the changes back";
        return Err(ToolError::new(format!(
            "{why}; these files could not be put back: {}; {next}",
            lost.join(", ")
        )));
    }
    if let Some(recorded) = recorded {
        recorded.complete();
    }
    Ok(())
}

/// Puts files back as they were, and returns the paths that failed.
fn put_back<'c>(root: &Root, changes: &'c [FileChange]) -> Vec<&'c str> {
    let never = CancellationToken::new();
    let is_lost =
        |change: &&FileChange| write(root, &change.path, &change.new, &change.old, &never).is_err();
    changes.iter().rev().filter(is_lost).map(|change| &*change.path).collect()
}

/// Writes a file if it has the content `old`.
fn write(
    root: &Root,
    path: &str,
    old: &[u8],
    new: &[u8],
    cancel: &CancellationToken,
) -> Result<(), ToolError> {
    let target = WriteTarget::find(root, path, &ApprovedRisk::Only(None))?;
    if target.path() != Path::new(path) {
        return Err(messages::changed_target(path));
    }
    target.write(new, &KnownContent::of_bytes(old), None, cancel)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn change(path: &str, old: &str, new: &str) -> FileChange {
        FileChange { path: path.to_owned(), old: old.into(), new: new.into(), mode: None }
    }

    #[test]
    fn failing_file_restores_the_others() {
        let folder = tempfile::tempdir().unwrap();
        let put = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
        let get = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
        for name in ["a", "b", "c"] {
            put(name, name);
        }
        let root = Root::open(folder.path()).unwrap();
        let never = CancellationToken::new();
        // Others changed the last file since it was read.
        let changes = [change("a", "a", "1"), change("b", "b", "2"), change("c", "before", "3")];
        let why = apply(&root, &changes, None, &never).unwrap_err().to_string();
        assert!(why.ends_with("; all files are as they were"), "{why}");
        assert_eq!(["a", "b", "c"].map(get), ["a", "b", "c"]);

        let changes = [change("a", "a", "1"), change("b", "b", "2")];
        apply(&root, &changes, None, &never).unwrap();
        assert_eq!(["a", "b", "c"].map(get), ["1", "2", "c"]);
    }
}
