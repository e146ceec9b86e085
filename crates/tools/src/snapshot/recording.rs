//! The changes of a command, as a record of the journal.
//!
//! The changes are the difference between the two looks around a command, without the changes that
//! other calls and undos recorded meanwhile.

use std::collections::HashMap;
use std::io;
use std::path::Path;

use super::delta::delta;
use super::entry::{EntryDifference, SnapshotEntry, TreeSnapshot};
use super::look::place;
use super::store::ContentStore;
use crate::changes::folder::LockedFolder;
use crate::changes::record::{ChangeKind, ChangeOrigin, ChangeRecord, FORMAT};
use crate::changes::{ChangeJournal, ChangedFile, entry_path, root_name};
use crate::file_state::FileState;
use crate::root::Root;
use silcrow_tool::FileDelta;

/// The changes of a command between two looks.
pub(crate) struct CommandChanges<'a> {
    pub(crate) journal: &'a ChangeJournal,
    pub(crate) root: &'a Root,
    pub(crate) store: &'a ContentStore,
    pub(crate) before: &'a TreeSnapshot,
    pub(crate) after: &'a TreeSnapshot,
    pub(crate) origin: &'a ChangeOrigin,
    /// The time in nanoseconds since 1970 after which others may have made the changes.
    pub(crate) until: Option<i64>,
}

impl CommandChanges<'_> {
    /// Records the changes, and returns them.
    pub(crate) fn record(&self) -> io::Result<Vec<FileDelta>> {
        let differences = self.before.differences(self.after);
        let mut uncovered = self.gone();
        if differences.is_empty() && uncovered.is_empty() {
            return Ok(Vec::new());
        }
        let folder = LockedFolder::create(self.journal.folder(), || true)?;
        let others = self.others(&folder)?;
        let (mut files, mut deltas) = (Vec::new(), Vec::new());
        let mut room = self.journal.limits().total_bytes;
        for difference in &differences {
            let path = entry_path::written(&difference.path);
            let now = state(difference.after.as_ref());
            let then = state(difference.before.as_ref());
            let known = match others.get(&path) {
                Some(changes) => followed(then.clone(), changes),
                None => Some(then.clone()),
            };
            if known.as_ref() == Some(&now) && now != then {
                continue;
            }
            deltas.extend(delta(difference, self.store));
            let why = match known == Some(then) {
                true => match self.changed(difference, &mut room) {
                    Ok(file) => {
                        files.push(file);
                        continue;
                    }
                    Err(why) => why,
                },
                false => "another call changed it at the same time",
            };
            uncovered.push((path, why.to_owned()));
        }
        deltas.dedup_by(|later, one| {
            is_above(&one.path, &later.path) && {
                std::mem::swap(one, later);
                true
            }
        });
        deltas.truncate(MAX_SHOWN);
        if files.is_empty() && uncovered.is_empty() {
            return Ok(deltas);
        }
        let mut record = ChangeRecord {
            format: FORMAT,
            kind: ChangeKind::Call,
            origin: self.origin.clone(),
            time: 0,
            root: root_name(self.root)?,
            undoes: Vec::new(),
            files,
            uncovered,
            header_length: 0,
        };
        let states: HashMap<_, _> =
            record.files.iter().map(|file| (file.path.clone(), file.before.clone())).collect();
        let name = folder.write(&mut record, |path| self.store.content(&states[path]))?;
        let done = folder.complete(&name)?;
        self.journal.prune(&folder, &done)?;
        Ok(deltas)
    }

    /// Returns the change of an entry, or why it cannot be undone.
    fn changed(
        &self,
        difference: &EntryDifference,
        room: &mut u64,
    ) -> Result<ChangedFile, &'static str> {
        let EntryDifference { path, before, after } = difference;
        let length = match before {
            Some(SnapshotEntry { state: FileState::Unread, .. }) => return Err(TOO_LONG),
            Some(SnapshotEntry { state: FileState::Special, .. }) => return Err(SPECIAL),
            Some(SnapshotEntry { state: state @ FileState::Sha256(_), stamp, .. }) => {
                if stamp.length > *room {
                    return Err(TOO_MUCH);
                }
                self.store.content(state).map_err(|_| LOST)?;
                *room -= stamp.length;
                Some(stamp.length)
            }
            _ => None,
        };
        let now = match after {
            Some(SnapshotEntry { state: FileState::Special, .. }) => return Err(SPECIAL),
            // Others may have changed it once the process of the command had ended.
            Some(entry) if self.until.is_some_and(|until| entry.stamp.changed > until) => {
                FileState::Unread
            }
            Some(SnapshotEntry { state: FileState::Unread, .. }) => {
                self.hashed(path).ok_or(TOO_LONG)?
            }
            entry => state(entry.as_ref()),
        };
        Ok(ChangedFile {
            mode: before.as_ref().map(|before| before.mode),
            kept: length,
            mode_after: after.as_ref().map(|after| after.mode),
            exact: true,
            ..ChangedFile::new(entry_path::written(path), state(before.as_ref()), now)
        })
    }

    /// Returns the hash of a file that is too long to be kept.
    fn hashed(&self, path: &Path) -> Option<FileState> {
        let (folder, name) = place(self.root.folder(), path)?;
        let (mut file, metadata) = folder.open(&name).ok()?;
        let is_read = metadata.is_file() && metadata.len() <= MAX_HASHED;
        is_read.then(|| FileState::read(&mut file).ok()).flatten()
    }

    /// Returns the records of others since the look before, by the paths.
    fn others(
        &self,
        folder: &LockedFolder,
    ) -> io::Result<HashMap<String, Vec<(FileState, FileState)>>> {
        let identity = self.root.identity()?;
        let mut others: HashMap<_, Vec<_>> = HashMap::new();
        for name in folder.names()? {
            if name.number <= self.before.mark {
                continue;
            }
            let Ok(record) = folder.read(&name) else { continue };
            // The looks themselves have seen the changes of commands.
            if record.kind == ChangeKind::Call && record.files.iter().any(|file| file.exact) {
                continue;
            }
            for file in record.files.into_iter().filter(|_| record.root.identity == identity) {
                others.entry(file.path).or_default().push((file.before, file.after));
            }
        }
        Ok(others)
    }

    /// Returns skipped entries that have gone, which are not kept.
    fn gone(&self) -> Vec<(String, String)> {
        let is_gone = |path: &&std::path::PathBuf| {
            !self.after.passed.contains(*path)
                && !self.after.entries.contains_key(*path)
                && place(self.root.folder(), path)
                    .is_none_or(|(folder, name)| matches!(folder.look(&name), Ok(None)))
        };
        let gone = self.before.passed.iter().filter(is_gone).take(MAX_GONE);
        gone.map(|path| (entry_path::written(path), NOT_SEEN.to_owned())).collect()
    }
}

/// Returns the state to which recorded changes lead; `None` if something else changed the file between
/// them. The look before may have seen the first of them.
fn followed(state: FileState, changes: &[(FileState, FileState)]) -> Option<FileState> {
    changes.iter().try_fold(state, |state, (before, after)| match *before == state {
        true => Some(after.clone()),
        false => (*after == state).then_some(state),
    })
}

fn state(entry: Option<&SnapshotEntry>) -> FileState {
    entry.map_or(FileState::Missing, |entry| entry.state.clone())
}

/// Returns whether a path is a folder above another one.
fn is_above(folder: &str, path: &str) -> bool {
    folder.ends_with('/') && path.starts_with(folder)
}

const TOO_LONG: &str = "it is too long to be kept, or could not be read, or not in time";
const TOO_MUCH: &str = "more was changed at once than is kept";
const SPECIAL: &str = "it is neither a file nor a folder nor a link";
const LOST: &str = "what it was could not be read again";
const NOT_SEEN: &str = "git ignores it, or it is not kept for another reason";

/// The length of the longest file that is hashed, in bytes.
const MAX_HASHED: u64 = 1 << 30;

/// The number of files that are shown.
const MAX_SHOWN: usize = 1_000;

/// The number of skipped entries that are named when they have gone.
const MAX_GONE: usize = 50;
