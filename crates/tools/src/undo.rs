//! Taking changes back.
//!
//! An undo first plans: it follows the selected records from the newest to the oldest, and each must
//! find its file as it left it, or as it found it. Then it records itself, as a change that is
//! begun, restores the files, and is done. One that was interrupted is finished by the next one.
//! This module knows neither tools nor conversations beyond their ids.

mod report;
mod restore;
mod select;

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::PathBuf;

use self::restore::CurrentFile;
use self::select::JournalRecords;
use crate::changes::folder::{LockedFolder, RecordName};
use crate::changes::record::{ChangeKind, ChangeOrigin, ChangeRecord, FORMAT};
use crate::changes::{ChangeJournal, ChangedFile, FileState, root_name};
use crate::diff::LineDiff;
use crate::root::Root;

pub use self::report::{FileOutcome, UndoRefusal, UndoReport, UndoRequest, UndoneFile};

impl ChangeJournal {
    /// Returns the paths of the folders in which the changes were made that a request means. Blocks.
    ///
    /// # Errors
    ///
    /// Returns the error of the system if the journal cannot be read.
    pub fn roots(&self, request: &UndoRequest) -> io::Result<Vec<PathBuf>> {
        let Some(folder) = self.open()? else { return Ok(Vec::new()) };
        let journal = JournalRecords::read(&folder)?;
        let numbers = journal.interrupted(request).into_iter().chain(journal.select(request));
        let paths = numbers.map(|number| PathBuf::from(&journal.records[&number].root.path));
        Ok(paths.collect::<BTreeSet<_>>().into_iter().collect())
    }

    /// Takes the changes of a conversation back, or the last undo of one. Blocks.
    ///
    /// Every file is checked first. If one has changed since, or if what it was is not kept, it is
    /// named, and no file is restored. An undo that was interrupted is finished before anything
    /// else; a file of it that has changed since the interruption is named and left as it is.
    ///
    /// Folders that a call made stay.
    ///
    /// # Errors
    ///
    /// Returns the error of the system if the journal cannot be read or written.
    pub fn undo(&self, root: &Root, request: &UndoRequest) -> io::Result<UndoReport> {
        let mut report = UndoReport::default();
        let Some(folder) = self.open()? else { return Ok(report) };
        let identity = root.identity()?;
        let journal = JournalRecords::read(&folder)?;
        let undo = Undo { journal, folder: &folder, root, request };

        let interrupted = undo.journal.interrupted(request);
        let interrupted = match undo.journal.of_root(&interrupted, &identity, request) {
            Ok(interrupted) => interrupted,
            Err(refusal) => return Ok(UndoReport { refusals: vec![refusal], ..report }),
        };
        for number in &interrupted {
            undo.apply(*number, &mut report)?;
        }
        // The redo that was interrupted is the one that was asked for.
        let is_redo = |number| undo.journal.records[number].kind == ChangeKind::Redo;
        let is_answer = request.dry_run || (request.redo && interrupted.iter().any(is_redo));
        if !report.refusals.is_empty() || (is_answer && !interrupted.is_empty()) {
            return Ok(report);
        }

        let undo = Undo { journal: JournalRecords::read(&folder)?, ..undo };
        let selected = match undo.select(&identity) {
            Ok(selected) => selected,
            Err(refusals) => return Ok(UndoReport { refusals, ..report }),
        };
        let plans = undo.plan(&selected);
        let refusals: Vec<_> =
            plans.iter().filter_map(|(path, plan)| undo.refusal(path, plan)).collect();
        if !refusals.is_empty() {
            return Ok(UndoReport { refusals, ..report });
        }
        if request.dry_run || selected.is_empty() {
            let files = plans.iter().map(|(path, plan)| done(path, &plan.now.state, &plan.state));
            report.files.extend(files);
            return Ok(report);
        }
        let name = undo.record(selected, &plans, self)?;
        let undo = Undo { journal: JournalRecords::read(&folder)?, ..undo };
        if let Some(done) = undo.apply(name.number, &mut report)? {
            self.prune(&folder, &done)?;
        }
        Ok(report)
    }
}

/// An undo in a locked journal.
struct Undo<'a> {
    journal: JournalRecords,
    folder: &'a LockedFolder,
    root: &'a Root,
    request: &'a UndoRequest,
}

/// What is to happen to a file.
struct FilePlan {
    now: CurrentFile,
    /// The file as it will be.
    state: FileState,
    /// The record that has the content that the file will have.
    source: Option<u64>,
    /// The oldest selected record of the file.
    oldest: u64,
    /// Why the changes cannot be taken back.
    refused: Option<String>,
}

impl Undo<'_> {
    /// Returns the numbers of the records to take back, the newest first.
    fn select(&self, identity: &str) -> Result<Vec<u64>, Vec<UndoRefusal>> {
        let unread = self.journal.unread_of(&self.request.conversation);
        let refusals: Vec<_> = unread.map(|name| UndoRefusal::new(name, UNREADABLE)).collect();
        if !refusals.is_empty() {
            return Err(refusals);
        }
        let selected = self.journal.select(self.request);
        self.journal.of_root(&selected, identity, self.request).map_err(|refusal| vec![refusal])
    }

    fn plan(&self, selected: &[u64]) -> BTreeMap<String, FilePlan> {
        let mut plans = BTreeMap::new();
        for number in selected {
            for file in &self.journal.records[number].files {
                let plan = plans.entry(file.path.clone()).or_insert_with(|| self.look(&file.path));
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

    fn look(&self, path: &str) -> FilePlan {
        let (now, refused) = match restore::look(self.root, path) {
            Ok(now) => (now, None),
            Err(error) => {
                let now = CurrentFile { state: FileState::Unread, length: 0, mode: None };
                (now, Some(error.to_string()))
            }
        };
        FilePlan { state: now.state.clone(), now, source: None, oldest: 0, refused }
    }

    /// Returns the content that a record keeps of a file, or `None` if there was no file.
    fn kept(&self, number: u64, path: &str) -> io::Result<Option<Vec<u8>>> {
        let not_kept = || io::Error::other(NOT_KEPT);
        let file = self.journal.records.get(&number).and_then(|record| record.file(path));
        match (file, self.journal.name(number)) {
            (Some(ChangedFile { before: FileState::Missing, .. }), _) => Ok(None),
            (Some(_), Some(name)) => {
                self.folder.content(name, path)?.ok_or_else(not_kept).map(Some)
            }
            _ => Err(not_kept()),
        }
    }

    /// Returns the refusal of a plan, with the difference that remains to be taken back by hand.
    fn refusal(&self, path: &str, plan: &FilePlan) -> Option<UndoRefusal> {
        let refusal = UndoRefusal::new(path, plan.refused.clone()?);
        let diff = match plan.refused.as_deref() {
            Some(CHANGED) if plan.now.length <= MAX_COMPARED => {
                self.kept(plan.oldest, path).ok().and_then(|before| {
                    let now = restore::content(self.root, path).ok()?;
                    diff(path, &now, &before.unwrap_or_default())
                })
            }
            _ => None,
        };
        Some(UndoRefusal { diff, ..refusal })
    }

    /// Records the undo, with the contents that it replaces.
    fn record(
        &self,
        undoes: Vec<u64>,
        plans: &BTreeMap<String, FilePlan>,
        journal: &ChangeJournal,
    ) -> io::Result<RecordName> {
        let mut room = journal.limits().total_bytes;
        let files = plans.iter().map(|(path, plan)| {
            let FilePlan { now, state, source, .. } = plan;
            let is_kept = matches!(now.state, FileState::Sha256(_))
                && now.state != *state
                && now.length <= room.min(journal.limits().max_kept());
            room -= if is_kept { now.length } else { 0 };
            ChangedFile {
                path: path.clone(),
                before: now.state.clone(),
                after: state.clone(),
                mode: now.mode,
                kept: is_kept.then_some(now.length),
                source: *source,
            }
        });
        let conversation = self.request.conversation.clone();
        let mut record = ChangeRecord {
            format: FORMAT,
            kind: if self.request.redo { ChangeKind::Redo } else { ChangeKind::Undo },
            origin: ChangeOrigin { conversation, ..ChangeOrigin::default() },
            time: 0,
            root: root_name(self.root)?,
            undoes,
            files: files.collect(),
        };
        self.folder.write(&mut record, |path| restore::content(self.root, path))
    }

    /// Restores the files of an undo that is begun, and returns its name once it is done. Files that
    /// are restored already are left as they are.
    fn apply(&self, number: u64, report: &mut UndoReport) -> io::Result<Option<RecordName>> {
        let Some(name) = self.journal.name(number) else { return Ok(None) };
        let mut is_done = !self.request.dry_run;
        for file in &self.journal.records[&number].files {
            match self.apply_to(number, file) {
                Ok(None) => report.files.push(done(&file.path, &file.before, &file.after)),
                Ok(Some(why)) => report.refusals.push(UndoRefusal::new(&*file.path, why)),
                Err(error) => {
                    is_done = false;
                    let why = format!("{error}; the same command tries again");
                    report.refusals.push(UndoRefusal::new(&*file.path, why));
                }
            }
        }
        is_done.then(|| self.folder.complete(name)).transpose()
    }

    /// Restores a file, or returns why it never can be.
    fn apply_to(&self, number: u64, file: &ChangedFile) -> io::Result<Option<String>> {
        if file.before == file.after {
            return Ok(None);
        }
        // What came after an interruption knows how it found the file.
        let root = &self.journal.records[&number].root;
        let mut later = self.journal.records.range(number + 1..).map(|(_, record)| record);
        let later =
            later.find_map(|record| record.file(&file.path).filter(|_| record.root == *root));
        if let Some(later) = later.filter(|later| later.before != FileState::Unread) {
            return Ok((later.before != file.after).then(|| CHANGED.to_owned()));
        }
        let now = restore::look(self.root, &file.path)?;
        if now.state == file.after {
            return Ok(None);
        }
        if now.state != file.before {
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
        let source = file.source.and_then(|source| self.journal.records.get(&source));
        let mode = source.and_then(|record| record.file(&file.path)).and_then(|file| file.mode);
        restore::restore(self.root, &file.path, content.as_deref(), mode)?;
        Ok(None)
    }
}

impl FilePlan {
    /// Takes one change of the file back, in thought.
    fn follow(&mut self, number: u64, file: &ChangedFile) {
        if self.refused.is_some() || file.before == file.after {
            return;
        }
        if self.state == file.after {
            match file.before {
                FileState::Unread => self.refused = Some(NOT_KEPT.to_owned()),
                _ => (self.state, self.source) = (file.before.clone(), Some(number)),
            }
        } else if self.state != file.before {
            self.refused = Some(CHANGED.to_owned());
        }
    }
}

/// Returns the difference between a file as it is and as it was, or `None` if one of them is no text.
fn diff(path: &str, now: &[u8], before: &[u8]) -> Option<String> {
    let (now, before) = (str::from_utf8(now).ok()?, str::from_utf8(before).ok()?);
    Some(LineDiff::new(now, before).unified(path))
}

/// The greatest length of a file that is compared with what it was, in bytes.
const MAX_COMPARED: u64 = 1 << 20;

/// Returns what happened to a file.
fn done(path: &str, before: &FileState, after: &FileState) -> UndoneFile {
    let outcome = match after {
        _ if before == after => FileOutcome::Unchanged,
        FileState::Missing => FileOutcome::Removed,
        _ => FileOutcome::Restored,
    };
    UndoneFile { path: path.to_owned(), outcome }
}

const CHANGED: &str = "it has changed since";
const NOT_KEPT: &str = "its content before is not kept: it was too long, could not be read, or had to \
                        make room for newer ones";
const UNREADABLE: &str = "this record in the journal of changes cannot be read; remove it to take \
                          back the others";
