//! The changes of a run or a conversation in files, from the journal.
//!
//! The oldest record of a file has its content before, and the file itself or a later record the
//! content after. This module restores nothing.

use std::collections::BTreeMap;
use std::io;

use silcrow_tool::FileDelta;

use super::patch::{PatchSide, patch};
use super::{Undo, UndoRefusal, UndoRequest, content, look};
use crate::changes::{ChangeJournal, ChangedFile, entry_path};
use crate::file_state::FileState;
use crate::root::Root;
use crate::undo::select::JournalRecords;

/// The changes that a run or a conversation has made in files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RunDifference {
    /// The files that are different, by their paths.
    pub files: Vec<FileDifference>,
    /// Changes by commands that have no kept copy, such as changes of ignored or long files.
    pub uncovered: Vec<UndoRefusal>,
    /// Why the whole cannot be shown, such as another folder in the place of the root.
    pub refusals: Vec<UndoRefusal>,
}

/// The whole difference of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FileDifference {
    /// The difference with its counts and hunks.
    pub delta: FileDelta,
    /// The difference as git writes it, with its head. `git apply` takes it, unless a content is not
    /// text, is not kept or may be secret; then it has a line of words.
    pub patch: String,
    /// Whether others have changed the file since, so that the difference includes their changes.
    pub has_changed_since: bool,
}

impl ChangeJournal {
    /// Returns the changes of a conversation's calls that still stand. Only the conversation and
    /// the turns of the request count. Blocks.
    ///
    /// # Errors
    ///
    /// Returns the error of the system if the journal cannot be read.
    pub fn difference(&self, root: &Root, request: &UndoRequest) -> io::Result<RunDifference> {
        let mut difference = RunDifference::default();
        self.catch_up(root)?;
        let Some(folder) = self.open()? else { return Ok(difference) };
        let identity = root.identity()?;
        let undo = Undo { journal: JournalRecords::read(&folder)?, folder: &folder, root, request };
        let selected = match undo.select(&identity) {
            Ok(selected) => selected,
            Err(refusals) => return Ok(RunDifference { refusals, ..difference }),
        };
        difference.uncovered = undo.uncovered(&selected);
        let mut spans: BTreeMap<_, FileSpan<'_>> = BTreeMap::new();
        for number in selected {
            for file in undo.journal.records[&number].files.iter().filter(|file| file.differs()) {
                let new =
                    || FileSpan { last: (number, file), first: (number, file), is_exact: false };
                let span = spans.entry(&*file.path).or_insert_with(new);
                span.first = (number, file);
                span.is_exact |= file.exact;
            }
        }
        for (path, span) in spans {
            let before = span.before(&undo, path);
            let (after, has_changed_since) = span.after(&undo, path)?;
            if let Some((delta, patch)) = patch(&entry_path::path(path), &before, &after) {
                difference.files.push(FileDifference { delta, patch, has_changed_since });
            }
        }
        Ok(difference)
    }
}

/// The first and the last change of a file, with the numbers of their records.
struct FileSpan<'a> {
    first: (u64, &'a ChangedFile),
    last: (u64, &'a ChangedFile),
    is_exact: bool,
}

impl FileSpan<'_> {
    fn before(&self, undo: &Undo<'_>, path: &str) -> PatchSide {
        let (number, file) = self.first;
        let mode = file.mode.unwrap_or(0o644);
        match &file.before {
            FileState::Link(to) => PatchSide::Link(to.clone()),
            FileState::Sha256(_) => match undo.kept(number, path) {
                Ok(Some(content)) => PatchSide::File(content, mode),
                _ => PatchSide::Unknown(mode),
            },
            FileState::Unread => PatchSide::Unknown(mode),
            FileState::Missing | FileState::Folder | FileState::Special => PatchSide::Missing,
        }
    }

    /// Returns the file after the last change, and whether that is just the current file.
    fn after(&self, undo: &Undo<'_>, path: &str) -> io::Result<(PatchSide, bool)> {
        let (number, file) = self.last;
        let now = look(undo.root, path, self.is_exact);
        let mode = file.mode_after.or(file.mode);
        let mode = mode.or_else(|| now.as_ref().ok().and_then(|now| now.mode)).unwrap_or(0o644);
        Ok(match &file.after {
            FileState::Missing | FileState::Folder | FileState::Special => {
                (PatchSide::Missing, false)
            }
            FileState::Link(to) => (PatchSide::Link(to.clone()), false),
            FileState::Unread => (PatchSide::Unknown(mode), false),
            state => {
                let mut later = undo.journal.records.range(number + 1..);
                let kept = later.find_map(|(later, record)| {
                    record.file(path).filter(|file| file.before == *state)?;
                    undo.kept(*later, path).ok().flatten()
                });
                match (now, kept) {
                    (Ok(now), _) if now.state == *state => {
                        (PatchSide::File(content(undo.root, path, self.is_exact)?, mode), false)
                    }
                    (_, Some(kept)) => (PatchSide::File(kept, mode), false),
                    (Ok(now), None) if matches!(now.state, FileState::Sha256(_)) => {
                        (PatchSide::File(content(undo.root, path, self.is_exact)?, mode), true)
                    }
                    (Ok(now), None) if now.state == FileState::Missing => {
                        (PatchSide::Missing, true)
                    }
                    _ => (PatchSide::Unknown(mode), true),
                }
            }
        })
    }
}
