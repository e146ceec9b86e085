//! The lines of a rebase that run programs when it is continued.
//!
//! A command may run a rebase with such lines, because they run in its confinement. The rest that
//! it leaves for later must not have new ones.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use rustix::fs::FileType;

use super::guarded_names::folders_in;
use super::kept_path::write_file;
use super::linked_trees::TREES;
use super::{bytes_of, put_aside, text_of};
use crate::linux::helper::held_folder::{HeldFolder, entry, kind};
use crate::linux::helper::start_file_changes::StartFileChanges;

/// The lines that run programs, by the git folder.
#[derive(Default)]
pub(super) struct RebaseLines {
    before: BTreeMap<PathBuf, BTreeSet<String>>,
    modules: Vec<PathBuf>,
}

impl RebaseLines {
    pub(super) fn note(common: &HeldFolder, modules: &[PathBuf]) -> Self {
        let mut noted = Self { before: BTreeMap::new(), modules: modules.to_vec() };
        for folder in noted.folders(common) {
            let Ok(opened) = common.search(&folder.join(REBASE)) else { continue };
            let lines = text_of(&opened, LIST.as_ref()).map(|text| running(&text));
            noted.before.insert(folder, lines.unwrap_or_default());
        }
        noted
    }

    /// Renames the lists that have new lines which run programs.
    pub(super) fn look(&self, common: &HeldFolder, changes: &mut StartFileChanges) {
        for folder in self.folders(common) {
            let Ok(opened) = common.search(&folder) else { continue };
            let path = common.path().join(&folder);
            match entry(&opened, REBASE.as_ref()).as_ref().map(kind) {
                None => continue,
                Some(FileType::Directory) => {}
                Some(_) => {
                    put_aside(&opened, Some(&path), REBASE.as_ref(), changes);
                    continue;
                }
            }
            let Ok(opened) = common.search(&folder.join(REBASE)) else { continue };
            if entry(&opened, LIST.as_ref()).is_none() {
                continue;
            }
            let none = BTreeSet::new();
            let before = self.before.get(&folder).unwrap_or(&none);
            let now = bytes_of(&opened, LIST.as_ref());
            let is_right =
                |list: &Vec<u8>| running(&String::from_utf8_lossy(list)).is_subset(before);
            match now.filter(is_right) {
                // A process elsewhere may have the file open, so it becomes another one.
                Some(list) if write_file(&opened, LIST.as_ref(), &list, 0o644).is_ok() => {}
                _ => drop(put_aside(&opened, Some(&path.join(REBASE)), LIST.as_ref(), changes)),
            }
        }
    }

    /// Returns the git folders that can have a rebase, relative to the common one.
    fn folders(&self, common: &HeldFolder) -> Vec<PathBuf> {
        let trees = folders_in(common, Path::new(TREES)).into_iter();
        let trees = trees.map(|name| Path::new(TREES).join(name));
        [PathBuf::new()].into_iter().chain(trees).chain(self.modules.iter().cloned()).collect()
    }
}

/// Returns the lines that run programs.
fn running(list: &str) -> BTreeSet<String> {
    let runs = |line: &&str| {
        let word = line.split([' ', '\t', '\r']).next().unwrap_or_default();
        word == "x" || word == "exec"
    };
    list.lines().map(str::trim_start).filter(runs).map(str::to_owned).collect()
}

const REBASE: &str = "rebase-merge";
const LIST: &str = "git-rebase-todo";

#[test]
fn rebase_lines_running_programs_are_found() {
    let list = "pick 1 x\nexec make\n x\tevil\n# exec no\nexecutive 2\nfixup 2\nmerge -C 3 exec\n";
    assert_eq!(running(list), ["exec make", "x\tevil"].map(str::to_owned).into());
}
