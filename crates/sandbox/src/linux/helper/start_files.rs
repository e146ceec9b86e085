//! Files that programs run automatically, and a command's changes to them.
//!
//! They are searched before a command, after it, and during it if it runs in the background:
//!
//! ```text
//! before: is there ── a layer of the kernel can guard it ──► guarded
//!                 └── otherwise ──► noted with its last change
//! after:  guarded ──► nothing to do
//!         noted   ── it was changed ──► reported
//!         new, or replaced ──► renamed
//! ```
//!
//! Everything beneath a root is reached from the root itself, which is opened once, and through no
//! link. Without Landlock a person has approved the command as it is, and there is no search.

mod exact_paths;
mod noted_path;
mod tree_record;

use std::collections::{BTreeSet, HashMap, HashSet};
use std::ffi::OsStr;
use std::io;
use std::mem::take;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};

use rustix::fs::FileType;

use self::exact_paths::ExactPath;
use self::noted_path::NotedPath;
use self::tree_record::{FoundPath, TreeLook, TreeRecord};
use super::git_guard::is_linked_tree;
use super::held_folder::{HeldFolder, entry, identity, kind};
use super::set_aside::set_aside;
use super::start_file_changes::StartFileChanges;
use crate::supervised::name_index::NameIndex;
use crate::supervised::settings::{GuardedPath, HelperSettings};

/// The roots of a command, as of the last look.
pub(super) struct StartFiles {
    names: NameIndex,
    roots: Vec<WatchedRoot>,
    /// The git folder whose linked working trees a command may make.
    common: Option<HeldFolder>,
}

/// A folder that a command may change, with its protected paths.
struct WatchedRoot {
    held: HeldFolder,
    /// The hidden paths in it, relative to it.
    hidden: HashSet<PathBuf>,
    /// The paths that are protected wherever they are named, and could still be made.
    exact: Vec<ExactPath>,
    record: TreeRecord,
    /// The paths with protected names before the command, relative to the root.
    before: HashMap<PathBuf, NotedPath>,
    /// The folders that could not be read before the command.
    unread: BTreeSet<PathBuf>,
    /// The paths that are protected but could not be renamed.
    stuck: BTreeSet<PathBuf>,
}

/// Returns whether there is anything to search for.
pub(crate) fn is_asked_for(settings: &HelperSettings) -> bool {
    let HelperSettings { layers, protected, protected_names, command, .. } = settings;
    let has_names = !(protected.is_empty() && protected_names.is_empty());
    let is_asked_for = has_names || settings.granted_repository().is_some();
    layers.landlock && command.is_some() && is_asked_for
}

impl StartFiles {
    /// Looks for the paths, and adds those to the protected paths that the kernel can guard.
    pub(super) fn note(roots: Vec<HeldFolder>, settings: &mut HelperSettings) -> Self {
        let names = NameIndex::new(&settings.protected_names);
        let exact = settings.protected.clone();
        let common = settings.repository.as_ref();
        let common = common.and_then(|repository| HeldFolder::open(&repository.common).ok());
        let mut noted = Self { names, roots: Vec::new(), common };
        for held in roots {
            let root =
                WatchedRoot::note(held, &exact, &noted.names, noted.common.as_ref(), settings);
            noted.roots.push(root);
        }
        noted
    }

    /// Looks again, and renames new entries.
    pub(super) fn look(&mut self) -> StartFileChanges {
        let mut changes = StartFileChanges::default();
        for root in &mut self.roots {
            root.set_aside_exact(&mut changes);
            root.look(&self.names, self.common.as_ref(), &mut changes);
        }
        changes.set_aside.truncate(MOST_REPORTED);
        changes.changed.truncate(MOST_REPORTED);
        changes
    }
}

impl WatchedRoot {
    fn note(
        held: HeldFolder,
        exact: &[PathBuf],
        names: &NameIndex,
        common: Option<&HeldFolder>,
        settings: &mut HelperSettings,
    ) -> Self {
        let beneath = |path: &PathBuf| path.strip_prefix(held.path()).ok().map(Path::to_owned);
        let hidden: HashSet<_> = settings.hidden.iter().filter_map(beneath).collect();
        let has_namespaces = settings.layers.namespaces;
        let exact = exact.iter().filter_map(beneath).filter(|_| has_namespaces);
        let exact: Vec<_> = exact.filter_map(|path| ExactPath::note(&held, &path)).collect();
        settings.guarded.extend(exact.iter().filter_map(|path| path.guarded(&held)));
        let TreeLook { record, found, unread } = TreeRecord::default().look(&held, names, &hidden);
        let mut before = HashMap::new();
        let granted = settings.granted_repository().map(|repository| repository.common.clone());
        for found in found {
            let Ok(folder) = held.search(&found.folder) else { continue };
            let path = found.folder.join(&found.name);
            if granted.as_ref() == Some(&held.path().join(&path)) {
                // The git modules check its contents.
                before.insert(path, NotedPath::new(folder, &found.name, true));
                continue;
            }
            // A command that may make linked working trees may remove them.
            let is_tree = |common| is_linked_tree(common, &held, &found.folder, &folder);
            if granted.is_some()
                && found.name == ".git"
                && !found.is_at_root
                && common.is_some_and(is_tree)
            {
                continue;
            }
            let is_pointer = || {
                let there = entry(&folder, &found.name);
                found.name == ".git"
                    && there.is_some_and(|there| kind(&there) == FileType::RegularFile)
            };
            let is_put_back = found.is_at_root && !found.is_link || is_pointer();
            if granted.is_some() && !has_namespaces && is_put_back {
                before.insert(path.clone(), NotedPath::new(folder, &found.name, true));
                settings.put_back.push(held.path().join(path));
                continue;
            }
            let can_guard = before.len() < MOST_GUARDED && can_guard(&found, settings);
            let guarded = guarded(&held, folder.as_fd(), &path).filter(|_| can_guard);
            before.insert(path, NotedPath::new(folder, &found.name, guarded.is_some()));
            if let Some(guarded) = guarded
                && !settings.protected.contains(&guarded.path)
            {
                settings.protected.push(guarded.path.clone());
                settings.guarded.push(guarded);
            }
        }
        Self { held, hidden, exact, record, before, unread, stuck: BTreeSet::new() }
    }

    /// Renames entries at protected paths that did not exist.
    fn set_aside_exact(&mut self, changes: &mut StartFileChanges) {
        for path in take(&mut self.exact) {
            if let Some(new) = path.replaced(&self.held) {
                self.rename(&new.opened, &new.folder, &new.name, changes);
            }
            self.exact.push(path);
        }
    }

    fn look(
        &mut self,
        names: &NameIndex,
        common: Option<&HeldFolder>,
        changes: &mut StartFileChanges,
    ) {
        let look = take(&mut self.record).look(&self.held, names, &self.hidden);
        changes.is_cut |= !look.unread.is_subset(&self.unread);
        let mut now = HashMap::new();
        for found in look.found {
            let Ok(folder) = self.held.search(&found.folder) else { continue };
            let path = found.folder.join(&found.name);
            let is_guarded = self.before.get(&path).is_some_and(NotedPath::is_guarded);
            let noted = NotedPath::new(&folder, &found.name, is_guarded);
            // A path that is gone already counts as absent.
            if noted.own.is_some() {
                now.insert(path, (found, noted));
            }
        }
        let places: HashMap<_, _> =
            self.before.iter().map(|(path, noted)| (noted.own, path.clone())).collect();
        let mut new = Vec::new();
        for (path, (found, noted)) in &now {
            let is_new = match self.before.get_mut(path) {
                None => {
                    let place = places.get(&noted.own);
                    // A link to a file that is still in its place does not count as a move.
                    let is_gone = |place: &&PathBuf| {
                        now.get(*place).is_none_or(|(_, other)| other.own != noted.own)
                    };
                    let old = place.filter(is_gone).and_then(|place| self.before.get(place));
                    !old.is_some_and(|old| old.is_guarded() || old.state == noted.state)
                }
                // Others may replace it meanwhile, unless its whole folder was exchanged.
                Some(before) if before.is_guarded() && before.folder == noted.folder => false,
                Some(before) if before.own != noted.own => true,
                Some(before) => {
                    if before.state != noted.state {
                        before.state = noted.state;
                        changes.changed.push(shown(&self.held.path().join(path)));
                    }
                    false
                }
            };
            if is_new {
                new.push(found.clone());
            }
        }
        for found in new {
            if let Ok(folder) = self.held.search(&found.folder) {
                let is_tree = |common| is_linked_tree(common, &self.held, &found.folder, &folder);
                if found.name == ".git" && common.is_some_and(is_tree) {
                    continue;
                }
                self.rename(&folder, &found.folder, &found.name, changes);
            }
        }
        self.record = look.record;
    }

    /// Renames an entry of a folder that is open, and notes its new name; one that cannot be renamed
    /// counts as changed.
    fn rename(
        &mut self,
        opened: impl AsFd,
        folder: &Path,
        name: &OsStr,
        changes: &mut StartFileChanges,
    ) {
        let at = |name: &OsStr| shown(&self.held.path().join(folder).join(name));
        match set_aside(opened, name) {
            Ok(to) => changes.set_aside.push(at(&to)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(_) => {
                let path = at(name);
                if self.stuck.insert(path.clone()) {
                    changes.changed.push(path);
                }
            }
        }
    }
}

impl ExactPath {
    /// Returns the path for the kernel to guard, if it exists and is not a link.
    fn guarded(&self, root: &HeldFolder) -> Option<GuardedPath> {
        let folder = root.search(self.beneath().parent()?).ok()?;
        guarded(root, folder, self.beneath())
    }
}

/// Returns the way to guard a path in an open folder; `None` for a path that cannot be guarded,
/// such as a link, on which nothing can be mounted.
fn guarded(root: &HeldFolder, folder: impl AsFd, path: &Path) -> Option<GuardedPath> {
    let found = entry(folder, path.file_name()?)?;
    let path = root.path().join(path);
    // A path that is not text cannot be sent to the keeper.
    let can_be = kind(&found) != FileType::Symlink && path.to_str().is_some();
    can_be.then(|| GuardedPath { path, identity: identity(&found) })
}

/// Returns whether the kernel can guard a path and leave the rest of its folder as it is.
fn can_guard(found: &FoundPath, settings: &HelperSettings) -> bool {
    // Landlock keeps new files out of the whole folder, which is acceptable only near the root.
    !found.is_link && (settings.layers.namespaces || found.is_at_root)
}

/// Returns a path as text, which a report consists of.
fn shown(path: &Path) -> PathBuf {
    path.to_string_lossy().into_owned().into()
}

/// The number of paths that the kernel guards by their names: each of them costs a mount.
const MOST_GUARDED: usize = 1000;

/// The number of paths in a report.
const MOST_REPORTED: usize = 1000;
