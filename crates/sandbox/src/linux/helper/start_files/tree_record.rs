//! The contents of the folders beneath a root, and which of them have changed since.
//!
//! A look reads the names of each folder, whatever their number. A later look reads only folders
//! whose time of change, which no process can set, differs. It follows no links, and does not enter
//! the folders that it has found.

use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use rustix::fs::{FileType, RawDir, Stat, fstat};

use crate::linux::helper::held_folder::{DeviceAndInode, HeldFolder, entry, identity, kind};
use crate::supervised::name_index::NameIndex;

/// The folders beneath a root, by their paths.
#[derive(Default)]
pub(super) struct TreeRecord(HashMap<PathBuf, FolderRecord>);

/// The contents of a folder.
struct FolderRecord {
    stamp: FolderStamp,
    /// Whether the last change was long enough before the look that a later one has another time.
    is_settled: bool,
    folders: Vec<OsString>,
    found: Vec<FoundName>,
}

/// A folder at a time.
#[derive(PartialEq, Eq)]
struct FolderStamp {
    own: DeviceAndInode,
    /// Seconds, and nanoseconds, which are signed or unsigned in rustix, depending on the system
    /// call.
    changed: (i64, i128),
}

/// An entry with a protected name.
struct FoundName {
    name: OsString,
    parts: usize,
    is_link: bool,
}

/// The results of a look.
#[derive(Default)]
pub(super) struct TreeLook {
    pub(super) record: TreeRecord,
    /// The paths with protected names, those nearer to the root first in a first look.
    pub(super) found: Vec<FoundPath>,
    /// The folders that could not be read.
    pub(super) unread: BTreeSet<PathBuf>,
}

/// A path with a protected name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FoundPath {
    /// The folder, relative to the root.
    pub(super) folder: PathBuf,
    pub(super) name: OsString,
    /// Whether the protected name begins at the root.
    pub(super) is_at_root: bool,
    pub(super) is_link: bool,
}

impl TreeRecord {
    /// Looks through the folders for the names, except in the hidden paths, which are relative to
    /// the root. Recorded folders that have not changed are not read again.
    pub(super) fn look(
        self,
        root: &HeldFolder,
        names: &NameIndex,
        hidden: &HashSet<PathBuf>,
    ) -> TreeLook {
        let mut known = self.0;
        let mut look = TreeLook::default();
        let mut buffer = Vec::with_capacity(BUFFER);
        let mut left = VecDeque::from([PathBuf::new()]);
        while let Some(path) = left.pop_front() {
            let before = known.remove(&path);
            let read = root.read(&path).and_then(|opened| {
                let record = FolderRecord::new(&opened, before, &path, names, &mut buffer)?;
                Ok((opened, record))
            });
            let (opened, record) = match read {
                Ok(read) => read,
                // It was removed meanwhile.
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(_) => {
                    look.unread.insert(path);
                    continue;
                }
            };
            for name in &record.folders {
                let inside = path.join(name);
                if hidden.contains(&inside) {
                    continue;
                }
                let now = || entry(&opened, name);
                let is_same = |before: &FolderRecord| {
                    before.folders.is_empty() && now().is_some_and(|now| before.is_still(&now))
                };
                match known.get(&inside).is_some_and(is_same) {
                    true => look.keep(known.remove_entry(&inside)),
                    false => left.push_back(inside),
                }
            }
            look.keep(Some((path, record)));
        }
        look
    }
}

impl TreeLook {
    fn keep(&mut self, folder: Option<(PathBuf, FolderRecord)>) {
        let Some((path, record)) = folder else { return };
        self.found.extend(record.found.iter().map(|found| FoundPath {
            folder: path.clone(),
            name: found.name.clone(),
            is_at_root: path.iter().count() + 1 == found.parts,
            is_link: found.is_link,
        }));
        self.record.0.insert(path, record);
    }
}

impl FolderRecord {
    /// Reads a folder, unless it is as it was.
    fn new(
        opened: &OwnedFd,
        before: Option<Self>,
        path: &Path,
        names: &NameIndex,
        buffer: &mut Vec<u8>,
    ) -> io::Result<Self> {
        let stat = fstat(opened)?;
        if let Some(before) = before.filter(|before| before.is_still(&stat)) {
            return Ok(before);
        }
        let is_settled = is_settled(&stat);
        let mut record =
            Self { stamp: stamp(&stat), is_settled, folders: Vec::new(), found: Vec::new() };
        let mut entries = RawDir::new(opened, buffer.spare_capacity_mut());
        while let Some(found) = entries.next() {
            let found = found?;
            let name = OsStr::from_bytes(found.file_name().to_bytes());
            if name == "." || name == ".." {
                continue;
            }
            let kind = match found.file_type() {
                // Some file systems do not say it here.
                FileType::Unknown => entry(opened, name).as_ref().map_or(FileType::Unknown, kind),
                kind => kind,
            };
            let is_link = kind == FileType::Symlink;
            if let Some(parts) = names.length(path, name, is_link) {
                record.found.push(FoundName { name: name.to_owned(), parts, is_link });
            } else if kind == FileType::Directory {
                record.folders.push(name.to_owned());
            }
        }
        Ok(record)
    }

    fn is_still(&self, now: &Stat) -> bool {
        self.is_settled && self.stamp == stamp(now)
    }
}

fn stamp(stat: &Stat) -> FolderStamp {
    FolderStamp { own: identity(stat), changed: (stat.st_ctime, i128::from(stat.st_ctime_nsec)) }
}

/// Returns whether a change from now on gets another time than the last one. File systems write down
/// times of up to 2 seconds.
fn is_settled(stat: &Stat) -> bool {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let seconds = i64::try_from(now.as_secs()).unwrap_or_default();
    stat.st_ctime < seconds - 2
}

/// The size of the buffer for names.
const BUFFER: usize = 32 * 1024;

#[cfg(test)]
mod tests {
    use std::fs;

    use rustix::fs::{CWD, RenameFlags, renameat_with};

    use super::*;

    fn look(root: &HeldFolder, record: TreeRecord) -> (Vec<String>, TreeLook) {
        let names = [".envrc".to_owned(), ".vscode/settings.json".to_owned()];
        let look =
            record.look(root, &NameIndex::new(&names), &HashSet::from([PathBuf::from("hidden")]));
        let mut found: Vec<_> = look
            .found
            .iter()
            .map(|it| format!("{} {}", it.folder.join(&it.name).display(), it.is_at_root))
            .collect();
        found.sort_unstable();
        (found, look)
    }

    /// Makes every folder count as one that has not changed for long.
    fn settled(mut look: TreeLook) -> TreeRecord {
        look.record.0.values_mut().for_each(|folder| folder.is_settled = true);
        look.record
    }

    #[test]
    fn later_scan_reads_only_changes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().canonicalize().unwrap();
        for inside in ["a/b/.envrc", "c/.VSCode/Settings.json", ".envrc", "hidden/.envrc", "d/e/x"]
        {
            fs::create_dir_all(path.join(inside).parent().unwrap()).unwrap();
            fs::write(path.join(inside), "").unwrap();
        }
        std::os::unix::fs::symlink("c", path.join(".vscode")).unwrap();
        let root = HeldFolder::open(&path).unwrap();
        let all =
            [".envrc true", ".vscode true", "a/b/.envrc false", "c/.VSCode/Settings.json false"];
        let (found, first) = look(&root, TreeRecord::default());
        assert_eq!(found, all);
        assert_eq!(first.found[0].folder, Path::new(""), "the nearest is first");
        let (found, second) = look(&root, settled(first));
        assert_eq!(found, all);
        std::thread::sleep(TICK);
        fs::write(path.join("d/e/.envrc"), "").unwrap();
        fs::rename(path.join("a/b"), path.join("a/moved")).unwrap();
        let (found, _) = look(&root, settled(second));
        let now = ["a/moved/.envrc false", "c/.VSCode/Settings.json false", "d/e/.envrc false"];
        assert_eq!(found, [&all[..2], &now].concat());
    }

    #[test]
    fn recently_changed_folder_is_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let root = HeldFolder::open(&folder.path().canonicalize().unwrap()).unwrap();
        // The clock of a file system may stand between two changes.
        for round in 0..200 {
            let (_, first) = look(&root, TreeRecord::default());
            fs::write(folder.path().join(".envrc"), "").unwrap();
            assert_eq!(look(&root, first.record).0, [".envrc true"], "{round}");
            fs::remove_file(folder.path().join(".envrc")).unwrap();
        }
    }

    #[test]
    fn symlink_replacing_listed_folder_is_not_entered() {
        let (folder, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let path = folder.path().canonicalize().unwrap();
        fs::create_dir_all(path.join("a/b")).unwrap();
        fs::write(outside.path().join(".envrc"), "").unwrap();
        std::os::unix::fs::symlink(outside.path(), path.join("link")).unwrap();
        let root = HeldFolder::open(&path).unwrap();
        let mut record = settled(look(&root, TreeRecord::default()).1);
        let (a, link) = (path.join("a"), path.join("link"));
        renameat_with(CWD, &a, CWD, &link, RenameFlags::EXCHANGE).unwrap();
        // The list of names is the old one, as if the exchange came right after it was read.
        let listed = record.0.get_mut(Path::new("")).unwrap();
        listed.stamp = stamp(&fstat(root.opened()).unwrap());
        let (found, second) = look(&root, record);
        assert_eq!(found, [""; 0]);
        assert_eq!(second.unread, BTreeSet::from([PathBuf::from("a")]));
    }

    /// The longest time between two times of a file system here.
    const TICK: std::time::Duration = std::time::Duration::from_millis(20);
}
