//! The git folders of linked working trees, `worktrees/NAME`.
//!
//! Git finds the settings of a linked working tree by `commondir`, which is always `../..`. A tree
//! outside the folders of the command, and the command's own, is guarded like the rest. One inside
//! may be made and removed by the command, so after it the pointer is corrected, and settings that
//! the tree alone has are renamed.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use rustix::fs::FileType;

use super::guarded_names::{folders_in, names_in};
use super::kept_path::write_file;
use super::{put_aside, shown, text_of};
use crate::linux::helper::held_folder::{HeldFolder, entry, kind};
use crate::linux::helper::start_file_changes::StartFileChanges;
use crate::supervised::git_names::normal;
use crate::supervised::settings::RepositorySettings;

/// The linked working trees of a repository, before a command.
#[derive(Default)]
pub(super) struct LinkedTrees {
    /// The names of those that are guarded.
    guarded: Vec<OsString>,
    /// The settings that the others have alone.
    settings: BTreeMap<OsString, String>,
    /// The settings that the main working tree has alone, which git copies for a new one.
    common_settings: Option<String>,
}

impl LinkedTrees {
    pub(super) fn note(
        common: &HeldFolder,
        repository: &RepositorySettings,
        watched: &[PathBuf],
    ) -> io::Result<Self> {
        let top = common.search(Path::new(""))?;
        let mut trees =
            Self { common_settings: text_of(&top, SETTINGS.as_ref()), ..Self::default() };
        for name in folders_in(common, Path::new(TREES)) {
            let path = Path::new(TREES).join(&name);
            let Ok(opened) = common.search(&path) else { continue };
            let own = common.path().join(&path);
            let tree = text_of(&opened, "gitdir".as_ref());
            let tree = tree.and_then(|text| normal(&own.join(text.trim())));
            let is_inside =
                tree.is_some_and(|tree| watched.iter().any(|root| tree.starts_with(root)));
            if own == repository.own || !is_inside {
                trees.guarded.push(name);
            } else if let Some(settings) = text_of(&opened, SETTINGS.as_ref()) {
                trees.settings.insert(name, settings);
            }
        }
        Ok(trees)
    }

    /// Returns the paths that a command must not change, relative to the common folder.
    pub(super) fn guarded(&self) -> impl Iterator<Item = PathBuf> {
        let files = |name: &OsString| {
            let folder = Path::new(TREES).join(name);
            ["commondir", SETTINGS, "gitdir"].map(|file| folder.join(file))
        };
        self.guarded.iter().flat_map(files)
    }

    /// Reverts changes that a command must not leave.
    pub(super) fn look(&self, common: &HeldFolder, is_last: bool, changes: &mut StartFileChanges) {
        let Ok(top) = common.search(Path::new("")) else { return };
        let is_folder = |folder: &OwnedFd, name: &OsStr| {
            entry(folder, name).map(|found| kind(&found) == FileType::Directory)
        };
        if is_folder(&top, TREES.as_ref()) == Some(false) {
            put_aside(&top, Some(common.path()), TREES.as_ref(), changes);
        }
        let path = common.path().join(TREES);
        let Ok(trees) = common.read(Path::new(TREES)) else { return };
        for name in names_in(&trees) {
            if self.guarded.contains(&name) {
                continue;
            }
            if is_folder(&trees, &name) == Some(false) {
                put_aside(&trees, Some(&path), &name, changes);
            } else if let Ok(tree) = common.search(&Path::new(TREES).join(&name)) {
                self.look_at(&tree, &path.join(&name), is_last, changes);
            }
        }
    }

    fn look_at(&self, tree: &OwnedFd, path: &Path, is_last: bool, changes: &mut StartFileChanges) {
        let name = path.file_name().unwrap_or_default();
        if entry(tree, SETTINGS.as_ref()).is_some() {
            let now = text_of(tree, SETTINGS.as_ref());
            let usual = [self.settings.get(name), self.common_settings.as_ref()];
            let now = now.filter(|now| {
                now.is_empty() || usual.into_iter().flatten().any(|usual| usual == now)
            });
            // A process elsewhere may have the file open, so at the end it is replaced by a new
            // file.
            let is_right = now.is_some_and(|now| {
                !is_last || write_file(tree, SETTINGS.as_ref(), now.as_bytes(), 0o644).is_ok()
            });
            if !is_right {
                put_aside(tree, Some(path), SETTINGS.as_ref(), changes);
            }
        }
        let is_right = points_to_common(tree);
        if !is_right && entry(tree, POINTER.as_ref()).is_some() {
            put_aside(tree, Some(path), POINTER.as_ref(), changes);
        }
        if !is_right || is_last {
            let own = path.join(POINTER);
            match write_file(tree, POINTER.as_ref(), b"../..\n", 0o644) {
                Ok(()) if is_right => {}
                Ok(()) => changes.restored.push(shown(&own)),
                Err(_) => changes.changed.push(shown(&own)),
            }
        }
    }
}

/// Returns whether the git folder of a linked working tree leads to the folder that all share.
fn points_to_common(tree: &OwnedFd) -> bool {
    text_of(tree, POINTER.as_ref()).is_some_and(|text| text.trim_end() == "../..")
}

/// Returns whether the `.git` of a folder, which is beneath a root, leads to the git folder of a linked
/// working tree that leads back to it.
pub(in crate::linux::helper) fn is_linked_tree(
    common: &HeldFolder,
    root: &HeldFolder,
    folder: &Path,
    opened: &OwnedFd,
) -> bool {
    let top = root.path().join(folder);
    let own = text_of(opened, ".git".as_ref());
    let own = own.and_then(|text| normal(&top.join(text.strip_prefix("gitdir:")?.trim())));
    let Some(own) = own else { return false };
    let name = own.strip_prefix(common.path().join(TREES)).ok();
    let is_one = name.is_some_and(|name| name.iter().count() == 1);
    let beneath = own.strip_prefix(common.path()).unwrap_or(&own);
    let tree = common.search(beneath).ok().filter(|_| is_one);
    tree.is_some_and(|tree| {
        let back = text_of(&tree, "gitdir".as_ref());
        let back = back.and_then(|text| normal(&own.join(text.trim())));
        points_to_common(&tree) && back == Some(top.join(".git"))
    })
}

const POINTER: &str = "commondir";
const SETTINGS: &str = "config.worktree";
pub(super) const TREES: &str = "worktrees";
