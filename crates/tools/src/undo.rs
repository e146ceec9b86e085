//! Taking changes back.
//!
//! An undo first plans: it follows the selected records from the newest to the oldest, and each must
//! find its file as it left it, or as it found it. Then it records itself, as a change that is
//! begun, restores the files, and is done. One that was interrupted is finished by the next one.
//! This module knows neither tools nor conversations beyond their ids.

mod difference;
mod exact;
mod patch;
mod report;
mod restore;
mod select;

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::PathBuf;

use self::exact::WantedEntry;
use self::restore::CurrentFile;
use self::select::JournalRecords;
use crate::changes::folder::{LockedFolder, RecordName};
use crate::changes::record::{ChangeKind, ChangeOrigin, ChangeRecord, FORMAT};
use crate::changes::{ChangeJournal, ChangedFile, FileState, entry_path, root_name};
use crate::diff::LineDiff;
use crate::root::Root;

pub use self::difference::{FileDifference, RunDifference};
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
    /// Changes of commands are taken back, too, with folders, links and permissions, if a
    /// [keeper](Self::keeper) looked at the files around the command. What it did not keep is in
    /// [`UndoReport::uncovered`]. Folders that a tool for files made stay.
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

/// What is to happen to a file.
struct FilePlan {
    now: CurrentFile,
    /// The file as it will be.
    state: FileState,
    /// The record that has the content that the file will have.
    source: Option<u64>,
    /// The permissions that it will have, if they count.
    mode: Option<u32>,
    /// Whether a command changed it, so that links, folders and permissions count.
    is_exact: bool,
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

    /// Returns the content that a record keeps of a file, or `None` if there was no file.
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

    /// Returns the refusal of a plan, with the difference that remains to be taken back by hand.
    fn refusal(&self, path: &str, plan: &FilePlan) -> Option<UndoRefusal> {
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

    /// Restores the files of an undo that is begun, and returns its name once it is done. Files that
    /// are restored already are left as they are.
    fn apply(&self, number: u64, report: &mut UndoReport) -> io::Result<Option<RecordName>> {
        let Some(name) = self.journal.name(number) else { return Ok(None) };
        let mut is_done = !self.request.dry_run;
        let files = &self.journal.records[&number].files;
        let mut applied = BTreeMap::new();
        // What is in a folder goes before it, and comes after it.
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
        // What came after an interruption knows how it found the file.
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

    /// Returns what the selected commands changed and nothing kept.
    fn uncovered(&self, selected: &[u64]) -> Vec<UndoRefusal> {
        let uncovered = selected.iter().flat_map(|number| &self.journal.records[number].uncovered);
        let seen: BTreeMap<_, _> = uncovered.map(|(path, why)| (path, why)).collect();
        seen.into_iter().map(|(path, why)| UndoRefusal::new(entry_path::shown(path), why)).collect()
    }
}

/// What restoring a file came to: nothing, why it never can be, or why it failed this time.
type Applied = io::Result<Option<String>>;

fn look(root: &Root, path: &str, is_exact: bool) -> io::Result<CurrentFile> {
    if is_exact { exact::look(root, path) } else { restore::look(root, path) }
}

fn content(root: &Root, path: &str, is_exact: bool) -> io::Result<Vec<u8>> {
    if is_exact { exact::content(root, path) } else { restore::content(root, path) }
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
        // Permissions that somebody has changed since stay.
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

    /// Returns what would happen to the file.
    fn done(&self, path: &str) -> UndoneFile {
        let (before, after) = (self.now.state.clone(), self.state.clone());
        done(&ChangedFile {
            mode: self.now.mode,
            mode_after: self.mode,
            exact: self.is_exact,
            ..ChangedFile::new(path.to_owned(), before, after)
        })
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
