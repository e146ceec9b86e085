//! The files that tools never touch, and those that they touch only with a person's own yes.
//!
//! This module decides about resolved places. It does not resolve paths.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::git_hooks::is_hook;
use crate::open_folder::OpenFolder;
use crate::resolve::{PathAccess, PathError, ResolvedPath};
use crate::risky_names::{is_secret, is_start_file};
use crate::system::{self, FileId, HeldEntry};

/// The files and folders that tools do not touch, or only if a person approved the risk.
///
/// Each is recognized by device and inode, so links, mounts and spellings make no difference. One
/// that does not exist yet is recognized by its name.
#[derive(Clone, Debug, Default)]
pub(crate) struct ProtectedPaths {
    /// The folders above the root.
    above: Vec<FileId>,
    /// Whether the root itself belongs to git.
    is_git: bool,
    reserved: Vec<ProtectedPath>,
    homes: Vec<PathBuf>,
}

impl ProtectedPaths {
    /// Creates the protection of a root against changes of files that make git run commands.
    pub(crate) fn new(root: &OpenFolder) -> Self {
        let mut folders: Vec<_> = root.above().collect();
        let above = folders.iter().map(|folder| folder.id).collect();
        folders.reverse();
        folders.push(root.clone());
        // A work tree may be written, even if it is inside the folder of its repository.
        let tree = folders.iter().rposition(|folder| has(folder, ".git") && !is_repository(folder));
        let is_git = is_git(folders[tree.unwrap_or(0)..].iter(), None);
        Self { above, is_git, ..Self::default() }
    }

    /// Adds a file or folder of the host that is not written, and if it is private, not read
    /// either.
    pub(crate) fn add(&mut self, path: &Path, what: String, private: bool) {
        self.reserved.push(ProtectedPath::new(path, what, private));
    }

    /// Adds a home folder, whose start files are not written.
    pub(crate) fn add_home(&mut self, path: PathBuf) {
        self.homes.push(path);
    }

    /// Returns the start files of the home folders that are at or beneath a folder, without links.
    pub(crate) fn home_files(&self, root: &Path) -> Vec<PathBuf> {
        let homes = self.homes.iter().filter_map(|home| home.canonicalize().ok());
        let homes = homes.filter(|home| home.starts_with(root));
        homes.flat_map(|home| START_FILES.map(|file| home.join(file))).collect()
    }

    /// Returns the ids of the files and folders that are private now.
    pub(crate) fn private(&self) -> Vec<FileId> {
        self.reserved.iter().filter(|it| it.private).flat_map(ProtectedPath::ids).collect()
    }

    /// Returns the risk of accessing the place, or `None` for a place without one.
    ///
    /// # Errors
    ///
    /// Returns an error if the place is private, which no approval changes.
    pub(crate) fn risk(
        &self,
        place: &ResolvedPath,
        access: PathAccess,
    ) -> Result<Option<String>, PathError> {
        let next = place.rest.first().map(|name| &**name);
        let found = next.and_then(|name| place.trail.last().look(name).ok().flatten());
        let found = found.map(|found| FileId::from_metadata(&found));
        let ids: Vec<_> = self.above.iter().copied().chain(place.ids()).chain(found).collect();
        let is_at =
            |it: &&ProtectedPath| it.ids().any(|id| ids.contains(&id)) || it.is_missing_at(place);
        if let Some(it) = self.reserved.iter().filter(|it| it.private).find(is_at) {
            let what = &it.what;
            let why = format!("is protected: it is {what}, which no tool reads or changes");
            return Err(PathError::Protected(why));
        }
        if access == PathAccess::Read {
            return Ok(is_secret(place.names()).then(|| SECRET_RISK.to_owned()));
        }
        if let Some(it) = self.reserved.iter().find(is_at) {
            return Ok(Some(format!("it is {}", it.what)));
        }
        let becomes_git = next.is_some_and(|name| becomes_repository(place.trail.last(), name));
        let risk = if self.is_git
            || becomes_git
            || is_git(place.trail.folders(), found)
            || place.names().any(is_dot_git)
            || is_hook(place, &ids)
        {
            Some(GIT_RISK)
        } else if self.homes.iter().any(|home| starts_something(home, place, &ids)) {
            Some(HOME_RISK)
        } else if is_start_file(place.names()) {
            Some(START_RISK)
        } else {
            None
        };
        Ok(risk.map(str::to_owned))
    }
}

/// The risk of reading a file that usually holds secrets.
pub(crate) const SECRET_RISK: &str = "it usually holds secrets";

const GIT_RISK: &str = "it belongs to git, whose files name commands that git runs";

const HOME_RISK: &str = "it is in a home folder, where shells, logins or services run it";

const START_RISK: &str =
    "shells, editors or tools run what it says by themselves, or agents obey it";

/// A file or folder that was named to be protected.
#[derive(Clone, Debug)]
struct ProtectedPath {
    path: PathBuf,
    /// The file at the time at which it was named, held open so that no other file gets its inode.
    first: Option<(FileId, Arc<HeldEntry>)>,
    what: String,
    private: bool,
}

impl ProtectedPath {
    fn new(path: &Path, what: String, private: bool) -> Self {
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        let first = system::hold(&path).map(|(id, held)| (id, Arc::new(held)));
        Self { path, first, what, private }
    }

    /// Returns the id of the file at first, and the id of the file that is now at its path.
    fn ids(&self) -> impl Iterator<Item = FileId> {
        self.first.iter().map(|(id, _)| *id).chain(FileId::at(&self.path))
    }

    /// Returns whether it does not exist and the missing part of the place leads to it or into it.
    fn is_missing_at(&self, place: &ResolvedPath) -> bool {
        let mut missing = Vec::new();
        let mut at = &*self.path;
        while let (Some(parent), Some(name)) = (at.parent(), at.file_name()) {
            missing.push(name);
            if let Some(folder) = FileId::at(parent) {
                let names = missing.iter().rev();
                return folder == place.trail.last().id
                    && missing.len() <= place.rest.len()
                    && names.zip(&place.rest).all(|(own, name)| own.eq_ignore_ascii_case(name));
            }
            at = parent;
        }
        false
    }
}

/// Returns whether one of the folders, the outermost first, or the entry `found` in the last one
/// belongs to git.
fn is_git<'f>(folders: impl Iterator<Item = &'f OpenFolder>, found: Option<FileId>) -> bool {
    let mut known = Vec::new();
    for folder in folders {
        if known.contains(&folder.id) || is_repository(folder) {
            return true;
        }
        // The ids also match where `.git` is a link or has another spelling.
        let nested = [".git", ".git/hooks"].into_iter();
        known.extend(
            nested
                .filter_map(|name| folder.dir.metadata(name).ok())
                .map(|at| FileId::from_metadata(&at)),
        );
        known.extend(
            folder.look(".git".as_ref()).ok().flatten().map(|at| FileId::from_metadata(&at)),
        );
    }
    found.is_some_and(|found| known.contains(&found))
}

/// Returns whether git takes the folder for a repository or for the data of a worktree, whatever
/// its name.
fn is_repository(folder: &OpenFolder) -> bool {
    is_repository_with(|name| has(folder, name))
}

fn is_repository_with(has: impl Fn(&str) -> bool) -> bool {
    has("HEAD") && (has("commondir") || (has("objects") && has("refs")))
}

/// Returns whether the folder would be a repository if it also had an entry with this name.
fn becomes_repository(folder: &OpenFolder, name: &OsStr) -> bool {
    is_repository_with(|part| name.eq_ignore_ascii_case(part) || has(folder, part))
}

fn has(folder: &OpenFolder, name: &str) -> bool {
    matches!(folder.look(name.as_ref()), Ok(Some(_)))
}

fn is_dot_git(name: &OsStr) -> bool {
    name.eq_ignore_ascii_case(".git")
}

/// Returns whether the place is a start file, or in a start folder, of this home folder.
fn starts_something(home: &Path, place: &ResolvedPath, ids: &[FileId]) -> bool {
    let Some(id) = FileId::at(home) else { return false };
    let Some(depth) = place.ids().position(|folder| folder == id) else { return false };
    let names: Vec<_> = place.names().skip(depth).collect();
    START_FILES.iter().any(|start| {
        let parts: Vec<_> = start.split('/').map(OsString::from).collect();
        let named = parts.len() <= names.len()
            && parts.iter().zip(&names).all(|(part, name)| part.eq_ignore_ascii_case(name));
        named || FileId::at(&home.join(start)).is_some_and(|id| ids.contains(&id))
    })
}

/// The files and folders in a home folder that shells, logins, desktops, git and ssh run or take
/// commands from.
const START_FILES: [&str; 37] = [
    ".bash_aliases",
    ".bash_login",
    ".bash_logout",
    ".bash_profile",
    ".bashrc",
    ".cargo/bin",
    ".cargo/config.toml",
    ".cargo/env",
    ".config/autostart",
    ".config/environment.d",
    ".config/fish",
    ".config/git",
    ".config/systemd",
    ".cshrc",
    ".gitconfig",
    ".gnupg",
    ".inputrc",
    ".kshrc",
    ".local/bin",
    ".local/share/systemd",
    ".login",
    ".logout",
    ".oh-my-zsh",
    ".pam_environment",
    ".profile",
    ".ssh",
    ".tcshrc",
    ".xinitrc",
    ".xprofile",
    ".xsession",
    ".xsessionrc",
    ".zlogin",
    ".zlogout",
    ".zprofile",
    ".zshenv",
    ".zshrc",
    "Library/LaunchAgents",
];
