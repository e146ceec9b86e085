//! The parts of a repository that a command must not change although it may change the repository's
//! data.
//!
//! Git runs programs that hooks and settings name, and finds these by pointers between its folders. A
//! command with the right to change the data must leave nothing that runs later:
//!
//! | | with namespaces | Landlock only |
//! |---|---|---|
//! | hooks, settings, attributes, pointers, folders of submodules | a mount makes them read-only; missing ones are made, empty | put back after the command |
//! | missing files without a harmless empty form, such as `commondir` | renamed after the command | the same |
//! | linked working trees in the root, which the command may remove | their pointer is corrected after the command | the same |
//! | the rest of a rebase with new `exec` lines | renamed after the command | the same |
//!
//! Everything is reached from the git folder, which is opened once, and through no link.

mod data_lock;
mod guarded_names;
mod kept_path;
mod linked_trees;
mod rebase_lines;

pub(super) use self::linked_trees::is_linked_tree;

use std::ffi::OsStr;
use std::io;
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, FileType, Mode, OFlags, mkdirat, openat, renameat};
use rustix::io::Errno;

use self::data_lock::DataLock;
use self::kept_path::KeptPath;
use self::linked_trees::LinkedTrees;
use self::rebase_lines::RebaseLines;
use super::held_folder::{HeldFolder, entry, identity, identity_of, kind};
use super::set_aside::set_aside;
use super::start_file_changes::StartFileChanges;
use crate::supervised::git_names;
use crate::supervised::settings::{GuardedPath, HelperSettings, RepositorySettings};

/// The repository of a command, as it was before the command.
pub(super) struct GitGuard {
    common: HeldFolder,
    settings: RepositorySettings,
    has_namespaces: bool,
    lock: DataLock,
    /// The paths that the command can change, with their contents before it.
    kept: Vec<KeptPath>,
    /// The protected paths elsewhere that the command can change, by the root that has them.
    kept_elsewhere: Vec<(HeldFolder, KeptPath)>,
    /// The git folders of submodules.
    modules: Vec<PathBuf>,
    trees: LinkedTrees,
    rebases: RebaseLines,
}

impl GitGuard {
    /// Opens the repository, if the command may change its data.
    pub(super) fn open(settings: &HelperSettings) -> io::Result<Option<Self>> {
        let Some(repository) = settings.granted_repository() else { return Ok(None) };
        Ok(Some(Self {
            common: HeldFolder::open(&repository.common)?,
            settings: repository.clone(),
            has_namespaces: settings.layers.namespaces,
            lock: DataLock::default(),
            kept: Vec::new(),
            kept_elsewhere: Vec::new(),
            modules: Vec::new(),
            trees: LinkedTrees::default(),
            rebases: RebaseLines::default(),
        }))
    }

    /// Records the contents, and adds the paths that the kernel can guard to the settings.
    ///
    /// # Errors
    ///
    /// Returns an error if something is too large to be put back.
    pub(super) fn note(&mut self, settings: &mut HelperSettings) -> io::Result<()> {
        let watched = settings.watched.clone();
        self.lock.take(&self.common, !self.has_namespaces)?;
        let modules = guarded_names::modules(&self.common);
        let mut guarded = Vec::new();
        for folder in [PathBuf::new()].iter().chain(&modules) {
            if self.has_namespaces {
                for (path, is_folder) in guarded_names::NEUTRAL {
                    self.make_missing(&folder.join(path), *is_folder)?;
                }
            }
            let never = git_names::NEVER.iter().map(|name| KeptPath::never(folder.join(name)));
            self.kept.extend(never);
            guarded.extend(guarded_names::in_git_folder(&self.common, folder, &self.settings));
        }
        if !self.has_namespaces {
            // Its parts are kept, and it is checked separately.
            guarded.retain(|path| !path.ends_with(MODULES));
        }
        self.trees = LinkedTrees::note(&self.common, &self.settings, &watched)?;
        for path in self.trees.guarded() {
            if self.has_namespaces && path.ends_with("config.worktree") {
                self.make_missing(&path, false)?;
            }
            guarded.push(path);
        }
        self.rebases = RebaseLines::note(&self.common, &modules);
        if self.has_namespaces {
            let writable = modules.iter().map(|module| self.common.path().join(module));
            settings.writable.extend(writable);
            self.keep_in_place(&guarded, settings);
        }
        self.modules = modules;
        for path in guarded {
            let mounted = self.has_namespaces.then(|| self.guarded(&path)).flatten();
            match mounted {
                Some(found) => {
                    settings.protected.push(found.path.clone());
                    settings.guarded.push(found);
                }
                None => {
                    // No other command may change it between being noted and being put back.
                    self.lock.take(&self.common, true)?;
                    self.kept.push(KeptPath::note(&self.common, &path)?);
                }
            }
        }
        if !self.has_namespaces {
            self.keep_elsewhere(settings)?;
        }
        Ok(())
    }

    /// Checks the command's changes, and reverts the forbidden ones. Only the last look, after the
    /// command, sees the rest of a rebase.
    pub(super) fn look(&mut self, is_last: bool, changes: &mut StartFileChanges) {
        if !self.has_namespaces {
            self.put_folder_back(changes);
            self.look_at_modules(changes);
        }
        for kept in &self.kept {
            kept.put_back(&self.common, changes);
        }
        for (root, kept) in &self.kept_elsewhere {
            kept.put_back(root, changes);
        }
        self.trees.look(&self.common, is_last, changes);
        if is_last {
            self.rebases.look(&self.common, changes);
        }
    }

    /// Makes a missing file or folder of a git folder, if an empty one means nothing to git,
    /// because a mount guards only existing paths.
    fn make_missing(&self, path: &Path, is_folder: bool) -> io::Result<()> {
        let Some((parent, name)) = path.parent().zip(path.file_name()) else { return Ok(()) };
        // A link in the place of a folder is corrected after the command.
        let Ok(parent) = self.common.search(parent) else { return Ok(()) };
        let made = match is_folder {
            _ if entry(&parent, name).is_some() => Ok(()),
            true => mkdirat(&parent, name, Mode::from_raw_mode(0o777)),
            false => {
                let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
                openat(&parent, name, flags, Mode::from_raw_mode(0o666)).map(drop)
            }
        };
        match made {
            Err(error) if error != Errno::EXIST => Err(error.into()),
            _ => Ok(()),
        }
    }

    /// Adds the folders on the way to guarded paths to those that must not be moved.
    fn keep_in_place(&self, guarded: &[PathBuf], settings: &mut HelperSettings) {
        let above = guarded.iter().flat_map(|path| path.ancestors().skip(1));
        let above: std::collections::BTreeSet<_> =
            above.filter(|path| !path.as_os_str().is_empty()).collect();
        let folders = above.into_iter().filter(|path| self.common.search(path).is_ok());
        settings.kept_in_place.extend(folders.map(|path| self.common.path().join(path)));
    }

    /// Returns a path as one that a mount can guard; `None` for a link, and for a file that has another
    /// name elsewhere.
    fn guarded(&self, path: &Path) -> Option<GuardedPath> {
        let folder = self.common.search(path.parent()?).ok()?;
        let found = entry(&folder, path.file_name()?)?;
        let is_folder = kind(&found) == FileType::Directory;
        let can_be = is_folder || kind(&found) == FileType::RegularFile && found.st_nlink == 1;
        let path = self.common.path().join(path);
        (can_be && path.to_str().is_some())
            .then(|| GuardedPath { path, identity: identity(&found) })
    }

    /// Keeps the protected paths in the root, if the command can change them: git has to make and
    /// remove files there, which Landlock does not allow beside an excepted path.
    fn keep_elsewhere(&mut self, settings: &mut HelperSettings) -> io::Result<()> {
        let (given, mut protected): (Vec<_>, Vec<_>) =
            settings.protected.drain(..).partition(|path| *path == settings.given);
        settings.protected = given;
        protected.append(&mut settings.put_back);
        for path in protected {
            let root = settings.watched.iter().find(|root| path.starts_with(root));
            let Some(root) = root.filter(|root| path != **root) else { continue };
            if path.starts_with(self.common.path()) {
                let beneath = path.strip_prefix(self.common.path()).map_err(io::Error::other)?;
                if !beneath.as_os_str().is_empty() {
                    self.kept.push(KeptPath::note(&self.common, beneath)?);
                }
                continue;
            }
            let held = HeldFolder::open(root)?;
            let beneath = path.strip_prefix(root).map_err(io::Error::other)?;
            let kept = KeptPath::note(&held, beneath)?;
            self.kept_elsewhere.push((held, kept));
        }
        Ok(())
    }

    /// Renames new git folders of submodules, and links in the place of existing ones.
    fn look_at_modules(&self, changes: &mut StartFileChanges) {
        let new = guarded_names::modules(&self.common).into_iter();
        let new = new.filter(|module| !self.modules.contains(module));
        let replaced = self.modules.iter().cloned();
        for module in replaced.filter(|module| self.common.search(module).is_err()).chain(new) {
            // The new path is the first part that cannot be entered.
            let parts: Vec<_> =
                module.ancestors().filter(|part| !part.as_os_str().is_empty()).collect();
            for part in parts.into_iter().rev() {
                let Some((folder, name)) = part.parent().zip(part.file_name()) else { continue };
                let Ok(folder) = self.common.search(folder) else { break };
                let there = entry(&folder, name);
                let is_folder = |found| kind(found) == FileType::Directory;
                if part == module || there.as_ref().is_some_and(|found| !is_folder(found)) {
                    let path = self.common.path().join(part);
                    put_aside(&folder, path.parent(), name, changes);
                    break;
                }
            }
        }
    }

    /// Puts the git folder back, if the command has moved it, and renames the entry in its place.
    fn put_folder_back(&self, changes: &mut StartFileChanges) {
        let path = self.common.path();
        let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else { return };
        let Ok(parent) = HeldFolder::open(parent) else { return };
        let there = entry(parent.opened(), name);
        if there.as_ref().map(identity) == identity_of(self.common.opened()) {
            return;
        }
        if there.is_some() {
            put_aside(parent.opened(), path.parent(), name, changes);
        }
        // The kernel has its present place.
        let own = format!("/proc/self/fd/{}", self.common.opened().as_raw_fd());
        let Ok(now) = std::fs::read_link(own) else { return };
        if renameat(CWD, &now, parent.opened(), name).is_ok() {
            changes.restored.push(shown(path));
        }
    }
}

/// Renames an entry of an open folder, and notes its new name.
fn put_aside(
    folder: &OwnedFd,
    path: Option<&Path>,
    name: &OsStr,
    changes: &mut StartFileChanges,
) -> bool {
    let path = path.unwrap_or_else(|| Path::new("/"));
    match set_aside(folder, name) {
        Ok(to) => {
            changes.set_aside.push(shown(&path.join(to)));
            true
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => true,
        Err(_) => {
            changes.changed.push(shown(&path.join(name)));
            false
        }
    }
}

/// Returns a path as text, which a report consists of.
fn shown(path: &Path) -> PathBuf {
    path.to_string_lossy().into_owned().into()
}

/// Reads a regular file like [`bytes_of`], as text.
fn text_of(folder: &OwnedFd, name: &OsStr) -> Option<String> {
    bytes_of(folder, name).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}

/// Reads a regular file of an open folder that has no other name; `None` for anything else, and for a
/// long one.
fn bytes_of(folder: &OwnedFd, name: &OsStr) -> Option<Vec<u8>> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = std::fs::File::from(openat(folder, name, flags, Mode::empty()).ok()?);
    let found = rustix::fs::fstat(&file).ok()?;
    if kind(&found) != FileType::RegularFile || found.st_nlink != 1 {
        return None;
    }
    let mut bytes = Vec::new();
    io::Read::read_to_end(&mut io::Read::take(file, LONGEST + 1), &mut bytes).ok()?;
    let is_short = u64::try_from(bytes.len()).is_ok_and(|length| length <= LONGEST);
    is_short.then_some(bytes)
}

/// The folder with the git folders of submodules.
const MODULES: &str = "modules";

/// The length of the longest text that is read, in bytes.
const LONGEST: u64 = 1 << 20;
