//! A look at all files of a root: their kinds and stamps, and contents that are to be kept.
//!
//! Links are not followed, and every folder is held open while its entries are read, so the look
//! never leaves the root, even if other processes rename folders meanwhile. An entry with the stamp
//! that it had last time is not read again.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use super::entry::{EntryStamp, SnapshotEntry, TreeSnapshot};
use super::store::ContentStore;
use crate::changes::entry_path;
use crate::file_state::FileState;
use crate::ignore_rules::IgnoreRules;
use crate::open_folder::OpenFolder;
use crate::root::Root;
use crate::system::{self, EntryStat, FileId, StatKind};

/// The limits of a look.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LookLimits {
    /// The length of a file that is kept, in bytes.
    pub(crate) file_bytes: u64,
    /// The length of all files together, in bytes.
    pub(crate) total_bytes: u64,
    /// The number of entries.
    pub(crate) entries: usize,
    /// The time for reading contents. The rest is not kept until a later look reads it.
    pub(crate) time: Duration,
}

/// Looks at the files of a root. `last` is the look before.
pub(crate) fn look(
    root: &Root,
    last: &TreeSnapshot,
    store: &ContentStore,
    limits: LookLimits,
) -> io::Result<TreeSnapshot> {
    let mut tree = TreeLooker {
        last,
        store,
        limits,
        ends: Instant::now() + limits.time,
        private: root.private().into_iter().collect(),
        total: 0,
        entries: BTreeMap::new(),
        passed: BTreeSet::new(),
        folders: Vec::new(),
    };
    let top = root.folder().clone();
    tree.folders.push(FoundFolder {
        folder: top,
        path: PathBuf::new(),
        rules: IgnoreRules::above(root),
    });
    while let Some(folder) = tree.folders.pop() {
        tree.enter(folder)?;
    }
    let left = tree.left(root.folder());
    let TreeLooker { entries, passed, .. } = tree;
    Ok(TreeSnapshot { entries, passed, left, mark: 0 })
}

struct TreeLooker<'a> {
    last: &'a TreeSnapshot,
    store: &'a ContentStore,
    limits: LookLimits,
    /// When no more contents are read.
    ends: Instant,
    private: HashSet<FileId>,
    /// The length of the contents so far.
    total: u64,
    entries: BTreeMap<PathBuf, SnapshotEntry>,
    passed: BTreeSet<PathBuf>,
    /// The folders that were found and not entered yet.
    folders: Vec<FoundFolder>,
}

struct FoundFolder {
    folder: OpenFolder,
    path: PathBuf,
    /// The rules from above the folder.
    rules: IgnoreRules,
}

impl TreeLooker<'_> {
    /// Looks at the contents of a folder. One that cannot be read, or has too many entries, is
    /// skipped.
    fn enter(&mut self, found: FoundFolder) -> io::Result<()> {
        let FoundFolder { folder, path, rules } = found;
        let room = self.limits.entries.saturating_sub(self.entries.len());
        let names = match names(&folder, room) {
            Ok(Some(names)) => names,
            Ok(None) => {
                self.pass(path);
                return Ok(());
            }
            // The root itself has to be readable.
            Err(error) if path == Path::new("") => return Err(error),
            Err(_) => {
                self.pass(path);
                return Ok(());
            }
        };
        let has_rules = names.iter().any(|name| name == ".gitignore" || name == ".git");
        let rules = if has_rules { rules.with(&folder) } else { rules };
        let is_cache = path.ends_with("target") && names.iter().any(|name| name == "CACHEDIR.TAG");
        if is_cache {
            self.pass(path);
            return Ok(());
        }
        for name in names {
            let own = path.join(&name);
            match system::stat(&folder.dir, &name) {
                Ok(Some(stat)) => self.find(&folder, &name, own, &stat, &rules),
                // It has gone meanwhile.
                Ok(None) => {}
                Err(_) => self.pass(own),
            }
        }
        Ok(())
    }

    fn find(
        &mut self,
        folder: &OpenFolder,
        name: &OsStr,
        path: PathBuf,
        stat: &EntryStat,
        rules: &IgnoreRules,
    ) {
        let is_folder = stat.kind == StatKind::Folder;
        let is_left_out = name == ".git" || (is_folder && name == "node_modules");
        if is_left_out || self.private.contains(&stat.id) || rules.ignores(name, is_folder) {
            return self.pass(path);
        }
        if is_folder {
            let entered = folder.enter(name);
            match entered {
                // Its names are known only if it is still the same folder.
                Ok(entered) if entered.id == stat.id && path.iter().count() < MAX_DEPTH => {
                    let found =
                        FoundFolder { folder: entered, path: path.clone(), rules: rules.at(name) };
                    self.folders.push(found);
                }
                _ => return self.pass(path),
            }
        }
        if let Some(entry) = self.entry(folder, name, &path, stat) {
            self.entries.insert(path, entry);
        }
    }

    /// Returns an entry as it is; `None` if it has gone meanwhile.
    fn entry(
        &mut self,
        folder: &OpenFolder,
        name: &OsStr,
        path: &Path,
        stat: &EntryStat,
    ) -> Option<SnapshotEntry> {
        let (mode, stamp) = (stat.mode, stamp(stat));
        let last = self.last.entries.get(path).filter(|last| last.is_unchanged(mode, stamp));
        let has_room = self.total.saturating_add(stamp.length) <= self.limits.total_bytes;
        let fits = stamp.length <= self.limits.file_bytes && has_room;
        let mut is_late = false;
        let state = match (stat.kind, last) {
            (StatKind::File, Some(SnapshotEntry { state, .. }))
                if fits || *state == FileState::Unread =>
            {
                state.clone()
            }
            (StatKind::File, _) if fits && Instant::now() > self.ends => {
                is_late = true;
                FileState::Unread
            }
            (StatKind::File, _) if fits => match self.read(folder, name, stamp) {
                Ok(state) => state,
                Err(error) if error.kind() == io::ErrorKind::NotFound => return None,
                Err(_) => FileState::Unread,
            },
            (StatKind::File, _) => FileState::Unread,
            (StatKind::Folder, _) => FileState::Folder,
            (StatKind::Link, _) => {
                let target = system::read_link(&folder.dir, name).ok()?;
                FileState::Link(entry_path::written(target.as_ref()))
            }
            (StatKind::Special, _) => FileState::Special,
        };
        if matches!(state, FileState::Sha256(_)) {
            self.total += stamp.length;
        }
        let latest = stamp.modified.max(stamp.changed);
        let is_settled = !is_late && latest.saturating_add(UNSETTLED) < now();
        Some(SnapshotEntry { state, mode, stamp, is_settled })
    }

    /// Keeps the content of a file.
    fn read(&self, folder: &OpenFolder, name: &OsStr, stamp: EntryStamp) -> io::Result<FileState> {
        let (mut file, metadata) = folder.open(name)?;
        let is_it = metadata.is_file()
            && FileId::from_metadata(&metadata) == FileId::new(stamp.device, stamp.inode);
        if !is_it {
            return Ok(FileState::Unread);
        }
        let kept = self.store.keep(&mut file, self.limits.file_bytes)?;
        Ok(kept.unwrap_or(FileState::Unread))
    }

    /// Looks once more at entries that are skipped now and were not last time.
    fn left(&mut self, top: &OpenFolder) -> BTreeMap<PathBuf, SnapshotEntry> {
        let passed = |path: &Path| path.ancestors().any(|above| self.passed.contains(above));
        let paths: Vec<_> = self.last.entries.keys().filter(|path| passed(path)).cloned().collect();
        let mut left = BTreeMap::new();
        for path in paths {
            if let Some((folder, name)) = place(top, &path)
                && let Ok(Some(stat)) = system::stat(&folder.dir, &name)
                && let Some(entry) = self.entry(&folder, &name, &path, &stat)
            {
                left.insert(path, entry);
            }
        }
        left
    }

    fn pass(&mut self, path: PathBuf) {
        self.passed.insert(path);
    }
}

/// Returns the folder of an entry and its name, or `None` if a folder above it is missing or is a
/// link.
pub(crate) fn place(top: &OpenFolder, path: &Path) -> Option<(OpenFolder, OsString)> {
    let name = path.file_name()?.to_owned();
    let mut folder = top.clone();
    for above in path.parent()? {
        folder = folder.enter(above).ok()?;
    }
    Some((folder, name))
}

/// Returns the names in a folder, or `None` if there are more than `most`.
fn names(folder: &OpenFolder, most: usize) -> io::Result<Option<Vec<OsString>>> {
    let mut names = Vec::new();
    for entry in folder.dir.read_dir(".")? {
        if names.len() == most {
            return Ok(None);
        }
        names.push(entry?.file_name());
    }
    Ok(Some(names))
}

fn stamp(stat: &EntryStat) -> EntryStamp {
    let EntryStat { id: FileId { dev, ino }, length, modified, changed, .. } = *stat;
    EntryStamp { device: dev, inode: ino, length, modified, changed }
}

/// Returns the time in nanoseconds since 1970.
pub(crate) fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_nanos()).unwrap_or(i64::MAX)
}

/// The age in nanoseconds at which a stamp would differ after another change.
const UNSETTLED: i64 = 100_000_000;

/// The number of nested folders. Each is held open.
const MAX_DEPTH: usize = 128;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn late_reading_is_not_a_change() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("root");
        std::fs::create_dir(&path).unwrap();
        std::fs::write(path.join("a"), "content").unwrap();
        let root = Root::open(&path).unwrap();
        let store = ContentStore::new(place.path().join("contents"));
        let limits = |time| LookLimits { file_bytes: 100, total_bytes: 100, entries: 10, time };
        let state = |tree: &TreeSnapshot| tree.entries[Path::new("a")].state.clone();
        let late = look(&root, &TreeSnapshot::default(), &store, limits(Duration::ZERO)).unwrap();
        assert_eq!(state(&late), FileState::Unread);
        let read = look(&root, &late, &store, limits(Duration::from_secs(60))).unwrap();
        assert_eq!(state(&read), FileState::from_content(b"content"));
        assert_eq!(late.differences(&read), []);
        std::fs::write(path.join("a"), "other content").unwrap();
        let later = look(&root, &read, &store, limits(Duration::ZERO)).unwrap();
        assert_eq!(read.differences(&later).len(), 1);
    }
}
