//! Restoring the files of an undo that is begun.
//!
//! An interruption at any moment leaves an undo that the next one finishes. This module decides for
//! each file whether it may still be restored, and in which order.

use std::collections::BTreeMap;
use std::io;

use super::exact::{self, WantedEntry};
use super::report::{UndoRefusal, UndoReport};
use super::restore::{self, CurrentFile};
use super::{CHANGED, NOT_EMPTY, Undo, done, look};
use crate::changes::folder::RecordName;
use crate::changes::{ChangedFile, entry_path};
use crate::file_state::FileState;

impl Undo<'_> {
    /// Restores the files of an undo that is begun, and returns its name once it is done. Files that
    /// are restored already are left as they are.
    pub(super) fn apply(
        &self,
        number: u64,
        report: &mut UndoReport,
    ) -> io::Result<Option<RecordName>> {
        let Some(name) = self.journal.name(number) else { return Ok(None) };
        let mut is_done = !self.request.dry_run;
        let files = &self.journal.records[&number].files;
        let mut applied = BTreeMap::new();
        // The contents of a folder are removed before it, and restored after it.
        let mut order: Vec<_> =
            files.iter().map(|file| (entry_path::path(&file.path), file)).collect();
        order.sort_by(|(one, _), (other, _)| one.cmp(other));
        let goes =
            |file: &ChangedFile| file.exact && file.after != file.before && file.leaves_first();
        for (_, file) in order.iter().rev().filter(|(_, file)| goes(file)) {
            applied.insert(&*file.path, self.apply_to(number, file));
        }
        for (_, file) in &order {
            let is_left = |applied: &Applied| matches!(applied, Ok(None));
            if !goes(file)
                || (file.after != FileState::Missing
                    && applied.get(&*file.path).is_some_and(is_left))
            {
                applied.insert(&*file.path, self.apply_to(number, file));
            }
        }
        if !self.request.dry_run && files.iter().any(|file| file.exact) {
            for (_, file) in order.iter().rev().filter(|(_, file)| file.after == FileState::Folder)
            {
                if let (Some(mode), Some(Ok(None))) = (file.mode_after, applied.get(&*file.path)) {
                    let set = exact::set_mode(self.root, &file.path, mode);
                    applied.insert(&*file.path, set.map(|()| None));
                }
            }
            exact::sync(self.root)?;
        }
        for file in files {
            let shown = entry_path::shown(&file.path);
            match applied.remove(&*file.path) {
                Some(Ok(Some(why))) => report.refusals.push(UndoRefusal::new(shown, why)),
                Some(Err(error)) if error.kind() == io::ErrorKind::DirectoryNotEmpty => {
                    report.uncovered.push(UndoRefusal::new(shown, NOT_EMPTY));
                }
                Some(Err(error)) => {
                    is_done = false;
                    let why = format!("{error}; the same command tries again");
                    report.refusals.push(UndoRefusal::new(shown, why));
                }
                _ => report.files.push(done(file)),
            }
        }
        is_done.then(|| self.folder.complete(name)).transpose()
    }

    /// Restores a file, or returns why it never can be.
    fn apply_to(&self, number: u64, file: &ChangedFile) -> io::Result<Option<String>> {
        if !file.differs() {
            return Ok(None);
        }
        // Records after an interruption have the state in which they found the file.
        let root = &self.journal.records[&number].root;
        let mut later = self.journal.records.range(number + 1..).map(|(_, record)| record);
        let later =
            later.find_map(|record| record.file(&file.path).filter(|_| record.root == *root));
        if let Some(later) = later.filter(|later| later.before != FileState::Unread) {
            return Ok((later.before != file.after).then(|| CHANGED.to_owned()));
        }
        let now = look(self.root, &file.path, file.exact)?;
        let has_mode = !file.exact || file.mode_after.is_none() || now.mode == file.mode_after;
        if now.state == file.after && (has_mode || matches!(file.after, FileState::Link(_))) {
            return Ok(None);
        }
        // A folder goes before a file comes in its place, and permissions come after a content.
        let is_between = file.exact && (now.state == file.after || now.state == FileState::Missing);
        if now.state != file.before && !is_between {
            return Ok(Some(CHANGED.to_owned()));
        }
        if self.request.dry_run {
            return Ok(None);
        }
        let content = match file.source {
            None => None,
            Some(source) => match self.kept(source, &file.path) {
                Err(error) if error.raw_os_error().is_none() => return Ok(Some(error.to_string())),
                kept => kept?,
            },
        };
        if file.exact {
            return self.apply_exactly(file, content.as_deref(), &now).map(|()| None);
        }
        let source = file.source.and_then(|source| self.journal.records.get(&source));
        let mode = source.and_then(|record| record.file(&file.path)).and_then(|file| file.mode);
        restore::restore(self.root, &file.path, content.as_deref(), mode)?;
        Ok(None)
    }

    /// Restores an entry that a command changed.
    fn apply_exactly(
        &self,
        file: &ChangedFile,
        content: Option<&[u8]>,
        now: &CurrentFile,
    ) -> io::Result<()> {
        let wanted = match &file.after {
            FileState::Missing => WantedEntry::Missing,
            FileState::Folder => WantedEntry::Folder,
            FileState::Link(to) => WantedEntry::Link(to),
            FileState::Sha256(_) if now.state != file.after => {
                WantedEntry::File(content.unwrap_or_default())
            }
            // Only its permissions differ.
            _ => match file.mode_after {
                Some(mode) => return exact::set_mode(self.root, &file.path, mode),
                None => return Ok(()),
            },
        };
        exact::restore(self.root, &file.path, &wanted, file.mode_after)
    }
}

/// The outcome of restoring a file: nothing, why it never can be, or why it failed this time.
type Applied = io::Result<Option<String>>;
