//! The plan of an undo: its effect on each file.
//!
//! A plan follows the records of a file from the newest to the oldest. Each must find the file as it
//! left it, or as it found it. This module changes no file.

use std::collections::{BTreeMap, BTreeSet};

use super::report::{UndoRefusal, UndoneFile};
use super::restore::CurrentFile;
use super::{CHANGED, NOT_KEPT, Undo, content, done, look};
use crate::changes::{ChangedFile, entry_path};
use crate::diff::LineDiff;
use crate::file_state::FileState;

/// The planned change of a file.
pub(super) struct FilePlan {
    pub(super) now: CurrentFile,
    /// The file as it will be.
    pub(super) state: FileState,
    /// The record that has the content that the file will have.
    pub(super) source: Option<u64>,
    /// The permissions that it will have, if they count.
    pub(super) mode: Option<u32>,
    /// Whether a command changed it, so that links, folders and permissions count.
    pub(super) is_exact: bool,
    /// The oldest selected record of the file.
    oldest: u64,
    /// The reason why the changes cannot be undone.
    refused: Option<String>,
}

impl Undo<'_> {
    pub(super) fn plan(&self, selected: &[u64]) -> BTreeMap<String, FilePlan> {
        let mut plans = BTreeMap::new();
        let files = || selected.iter().flat_map(|number| &self.journal.records[number].files);
        let exact: BTreeSet<_> = files().filter(|file| file.exact).map(|file| &file.path).collect();
        for number in selected {
            for file in &self.journal.records[number].files {
                let is_exact = exact.contains(&file.path);
                let look = || self.look(&file.path, is_exact);
                let plan = plans.entry(file.path.clone()).or_insert_with(look);
                plan.oldest = *number;
                plan.follow(*number, file);
            }
        }
        for (path, plan) in &mut plans {
            if let (None, Some(source)) = (&plan.refused, plan.source) {
                plan.refused = self.kept(source, path).err().map(|error| error.to_string());
            }
        }
        plans
    }

    fn look(&self, path: &str, is_exact: bool) -> FilePlan {
        let (now, refused) = match look(self.root, path, is_exact) {
            Ok(now) => (now, None),
            Err(error) => {
                let now = CurrentFile { state: FileState::Unread, length: 0, mode: None };
                (now, Some(error.to_string()))
            }
        };
        let (state, mode) = (now.state.clone(), now.mode.filter(|_| is_exact));
        FilePlan { now, state, source: None, mode, is_exact, oldest: 0, refused }
    }

    /// Returns the refusal of a plan, with the difference that remains to be undone by hand.
    pub(super) fn refusal(&self, path: &str, plan: &FilePlan) -> Option<UndoRefusal> {
        let refusal = UndoRefusal::new(entry_path::shown(path), plan.refused.clone()?);
        let diff = match plan.refused.as_deref() {
            Some(CHANGED) if plan.now.length <= MAX_COMPARED => {
                self.kept(plan.oldest, path).ok().and_then(|before| {
                    let now = content(self.root, path, plan.is_exact).ok()?;
                    diff(path, &now, &before.unwrap_or_default())
                })
            }
            _ => None,
        };
        Some(UndoRefusal { diff, ..refusal })
    }
}

impl FilePlan {
    /// Takes one change of the file back, in thought.
    fn follow(&mut self, number: u64, file: &ChangedFile) {
        if self.refused.is_some() || !file.differs() {
            return;
        }
        if self.state != file.after {
            if self.state != file.before {
                self.refused = Some(CHANGED.to_owned());
            }
            return;
        }
        // Permissions that others have changed since stay.
        if file.exact && self.mode == file.mode_after {
            self.mode = file.mode;
        }
        match file.before {
            FileState::Unread => self.refused = Some(NOT_KEPT.to_owned()),
            _ if file.before == file.after => {}
            _ => (self.state, self.source) = (file.before.clone(), Some(number)),
        }
        if self.state == FileState::Missing {
            self.mode = None;
        }
    }

    /// Returns the planned effect on the file.
    pub(super) fn done(&self, path: &str) -> UndoneFile {
        let (before, after) = (self.now.state.clone(), self.state.clone());
        done(&ChangedFile {
            mode: self.now.mode,
            mode_after: self.mode,
            exact: self.is_exact,
            ..ChangedFile::new(path.to_owned(), before, after)
        })
    }
}

/// Returns the difference between a file's present and earlier contents, or `None` if one of them
/// is binary.
fn diff(path: &str, now: &[u8], before: &[u8]) -> Option<String> {
    let (now, before) = (str::from_utf8(now).ok()?, str::from_utf8(before).ok()?);
    Some(LineDiff::new(now, before).unified(path))
}

/// The maximum length of a file that is compared with its earlier contents, in bytes.
const MAX_COMPARED: u64 = 1 << 20;
