//! Taking changes back.
//!
//! An undo first plans: it follows the selected records from the newest to the oldest, and each
//! must find its file as it left it, or as it found it. Then it records itself, as a change that is
//! begun, restores the files, and is marked as done. The next undo finishes an interrupted one. Of
//! tools and conversations, this module uses only ids.

mod apply;
mod difference;
mod exact;
mod patch;
mod plan;
mod report;
mod restore;
mod select;

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::PathBuf;

use self::plan::FilePlan;
use self::restore::CurrentFile;
use self::select::JournalRecords;
use crate::by_conversation::turn_inside;
use crate::changes::folder::{LockedFolder, RecordName};
use crate::changes::record::{ChangeKind, ChangeOrigin, ChangeRecord, FORMAT};
use crate::changes::{ChangeJournal, ChangedFile, entry_path, root_name};
use crate::file_state::FileState;
use crate::root::Root;
use crate::snapshot;

pub use self::difference::{FileDifference, RunDifference};
pub use self::report::{FileOutcome, UndoRefusal, UndoReport, UndoRequest, UndoneFile};

impl ChangeJournal {
    /// Returns the paths of the folders with the changes that a request selects. Blocks.
    ///
    /// # Errors
    ///
    /// Returns the error of the system if the journal cannot be read.
    pub fn roots(&self, request: &UndoRequest) -> io::Result<Vec<PathBuf>> {
        // The changes of a command that is running, or was cut short, are not recorded yet.
        let own = |conversation: &str| {
            conversation == request.conversation
                || turn_inside(conversation, &request.conversation).is_some()
        };
        let marked = snapshot::marked(self.folder())?.into_iter();
        let marked = marked.filter(|(conversation, _)| own(conversation)).map(|(_, path)| path);
        let mut paths: BTreeSet<_> = marked.collect();
        if let Some(folder) = self.open()? {
            let journal = JournalRecords::read(&folder)?;
            let numbers = journal.interrupted(request).into_iter().chain(journal.select(request));
            paths.extend(numbers.map(|number| PathBuf::from(&journal.records[&number].root.path)));
        }
        Ok(paths.into_iter().collect())
    }

    /// Takes the changes of a conversation back, or the last undo of one. Blocks.
    ///
    /// Every file is checked first. If one has changed since, or if its earlier content is not
    /// kept, it is named, and no file is restored. An undo that was interrupted is finished before
    /// anything else; a file of it that has changed since the interruption is named and left as it
    /// is.
    ///
    /// Changes of commands are undone, too, with folders, links and permissions, if a
    /// [keeper](Self::keeper) looked at the files around the command. [`UndoReport::uncovered`]
    /// names the rest. Folders that a tool for files made stay.
    ///
    /// # Errors
    ///
    /// Returns the error of the system if the journal cannot be read or written.
    pub fn undo(&self, root: &Root, request: &UndoRequest) -> io::Result<UndoReport> {
        let mut report = UndoReport::default();
        self.catch_up(root)?;
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
        // The interrupted redo is the requested one.
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
        report.uncovered = undo.uncovered(&selected);
        let refusals: Vec<_> =
            plans.iter().filter_map(|(path, plan)| undo.refusal(path, plan)).collect();
        if !refusals.is_empty() {
            return Ok(UndoReport { refusals, ..report });
        }
        if request.dry_run || selected.is_empty() {
            let files = plans.iter().map(|(path, plan)| plan.done(path));
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

impl Undo<'_> {
    /// Returns the numbers of the records to undo, the newest first.
    fn select(&self, identity: &str) -> Result<Vec<u64>, Vec<UndoRefusal>> {
        let unread = self.journal.unread_of(&self.request.conversation);
        let refusals: Vec<_> = unread.map(|name| UndoRefusal::new(name, UNREADABLE)).collect();
        if !refusals.is_empty() {
            return Err(refusals);
        }
        let selected = self.journal.select(self.request);
        self.journal.of_root(&selected, identity, self.request).map_err(|refusal| vec![refusal])
    }

    /// Returns the content that a record keeps of a file, or `None` if the file did not exist.
    fn kept(&self, number: u64, path: &str) -> io::Result<Option<Vec<u8>>> {
        let not_kept = || io::Error::other(NOT_KEPT);
        let record = self.journal.records.get(&number);
        let file = record.and_then(|record| Some((record, record.file(path)?)));
        match (file, self.journal.name(number)) {
            (Some((_, ChangedFile { before, .. })), _) if !before.has_content() => Ok(None),
            (Some((record, _)), Some(name)) => {
                self.folder.content(name, record, path)?.ok_or_else(not_kept).map(Some)
            }
            _ => Err(not_kept()),
        }
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
            let FilePlan { now, state, source, is_exact, .. } = plan;
            let is_kept = matches!(now.state, FileState::Sha256(_))
                && now.state != *state
                && now.length <= room.min(journal.limits().max_kept());
            room -= if is_kept { now.length } else { 0 };
            ChangedFile {
                mode: now.mode,
                kept: is_kept.then_some(now.length),
                source: *source,
                mode_after: plan.mode,
                exact: *is_exact,
                ..ChangedFile::new(path.clone(), now.state.clone(), state.clone())
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
            uncovered: Vec::new(),
            header_length: 0,
        };
        self.folder.write(&mut record, |path| content(self.root, path, plans[path].is_exact))
    }

    /// Returns the changes of the selected commands that were not kept.
    fn uncovered(&self, selected: &[u64]) -> Vec<UndoRefusal> {
        let uncovered = selected.iter().flat_map(|number| &self.journal.records[number].uncovered);
        let seen: BTreeMap<_, _> = uncovered.map(|(path, why)| (path, why)).collect();
        seen.into_iter().map(|(path, why)| UndoRefusal::new(entry_path::shown(path), why)).collect()
    }
}

fn look(root: &Root, path: &str, is_exact: bool) -> io::Result<CurrentFile> {
    if is_exact { exact::look(root, path) } else { restore::look(root, path) }
}

fn content(root: &Root, path: &str, is_exact: bool) -> io::Result<Vec<u8>> {
    if is_exact { exact::content(root, path) } else { restore::content(root, path) }
}

/// Returns the fate of a file.
fn done(file: &ChangedFile) -> UndoneFile {
    let outcome = match file.after {
        _ if !file.differs() => FileOutcome::Unchanged,
        FileState::Missing => FileOutcome::Removed,
        _ => FileOutcome::Restored,
    };
    UndoneFile { path: entry_path::shown(&file.path), outcome }
}

const CHANGED: &str = "it has changed since";
const NOT_KEPT: &str = "its content before is not kept: it was too long, could not be read, or had to \
                        make room for newer ones";
const NOT_EMPTY: &str = "it stays, because something else is in it";
const UNREADABLE: &str = "this record in the journal of changes cannot be read; remove it to take \
                          back the others";
