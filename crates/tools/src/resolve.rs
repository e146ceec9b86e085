//! Resolution of a model's paths beneath a root, without leaving it.
//!
//! This module walks paths, whatever tool uses them and whichever files are protected. A
//! [`PathWalk`] has names left to follow, and a place, which is the path so far.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};

use cap_std::fs::{File, Metadata};

use crate::lookalike_names::lookalike;
use crate::open_folder::OpenFolder;
use crate::system::{self, Errno, FileId};

/// The path from a root down to a folder. Every folder on it is open, and no name is a link.
#[derive(Clone, Debug)]
pub(crate) struct FolderTrail {
    top: OpenFolder,
    below: Vec<(OsString, OpenFolder)>,
}

impl FolderTrail {
    pub(crate) fn new(top: OpenFolder) -> Self {
        Self { top, below: Vec::new() }
    }

    pub(crate) fn last(&self) -> &OpenFolder {
        self.below.last().map_or(&self.top, |(_, folder)| folder)
    }

    /// Returns the folders, the root first.
    pub(crate) fn folders(&self) -> impl Iterator<Item = &OpenFolder> {
        std::iter::once(&self.top).chain(self.below.iter().map(|(_, folder)| folder))
    }

    /// Returns the names of the folders below the root.
    pub(crate) fn names(&self) -> impl Iterator<Item = &OsStr> {
        self.below.iter().map(|(name, _)| &**name)
    }

    /// Enters a folder. A link is an error.
    pub(crate) fn enter(&mut self, name: &OsStr) -> io::Result<()> {
        if self.below.len() == MAX_DEPTH {
            return Err(Errno::NAMETOOLONG.into());
        }
        let folder = self.last().enter(name)?;
        self.below.push((name.to_owned(), folder));
        Ok(())
    }

    /// Returns whether the same names still lead to the same folders.
    pub(crate) fn is_current(&self) -> bool {
        self.folders().zip(&self.below).all(|(above, (name, folder))| {
            matches!(above.look(name), Ok(Some(found)) if FileId::from_metadata(&found) == folder.id)
        })
    }
}

/// The place beneath a root that a path names.
#[derive(Clone, Debug)]
pub(crate) struct ResolvedPath {
    pub(crate) trail: FolderTrail,
    /// The names after the trail's last folder. A path to read has at most one, which is a file's.
    /// In a path to write, the last name is the file's, which may exist; the folders before it do
    /// not exist.
    pub(crate) rest: Vec<OsString>,
    /// Whether a name on the path only looks like the given one.
    pub(crate) is_lookalike: bool,
}

impl ResolvedPath {
    /// Returns the path from the root, without links, `.` and `..`.
    pub(crate) fn path(&self) -> PathBuf {
        self.names().collect()
    }

    /// Returns the names of that path.
    pub(crate) fn names(&self) -> impl Iterator<Item = &OsStr> {
        self.trail.names().chain(self.rest.iter().map(|name| &**name))
    }

    /// Returns the ids of the folders that exist on that path, the root first.
    pub(crate) fn ids(&self) -> impl Iterator<Item = FileId> {
        self.trail.folders().map(|folder| folder.id)
    }

    /// Opens the file or folder.
    pub(crate) fn open(&self) -> io::Result<(File, Metadata)> {
        let folder = self.trail.last();
        match self.rest.last() {
            Some(name) => folder.open(name),
            None => folder.open(OsStr::new(".")),
        }
    }
}

/// The reason why a path cannot be used.
#[derive(Debug)]
pub(crate) enum PathError {
    /// The path leads out of the root.
    Outside,
    /// The name does not exist, and several look like it.
    Ambiguous(Vec<String>),
    /// The place is protected. The text says why, as the rest of a sentence about the path.
    Protected(String),
    System(io::Error),
}

impl From<io::Error> for PathError {
    fn from(error: io::Error) -> Self {
        Self::System(error)
    }
}

impl From<Errno> for PathError {
    fn from(error: Errno) -> Self {
        Self::System(error.into())
    }
}

/// The purpose of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PathAccess {
    /// Reading: the path must exist, and a link at its end is followed.
    Read,
    /// Writing: the file and folders above it may be missing, and a link at the end is not
    /// followed.
    Write,
}

/// A walk along a path, one name at a time.
///
/// The kernel never follows a link or `..` here. A link is read and its names are walked, and `..`
/// returns to the open folder before. So the walk cannot leave the root, even if other processes
/// rename folders meanwhile.
pub(crate) struct PathWalk {
    pub(crate) place: ResolvedPath,
    access: PathAccess,
    /// The names that are left, in reverse order.
    steps: Vec<PathStep>,
    links: usize,
}

#[derive(Debug)]
enum PathStep {
    /// The path so far must name a folder.
    Here,
    Up,
    Down {
        name: OsString,
        linked: bool,
    },
}

impl PathWalk {
    /// Creates a walk along `path`, which is relative to `top`.
    pub(crate) fn new(top: OpenFolder, path: &Path, access: PathAccess) -> Self {
        let place =
            ResolvedPath { trail: FolderTrail::new(top), rest: Vec::new(), is_lookalike: false };
        let mut walk = Self { place, access, steps: Vec::new(), links: 0 };
        walk.plan(path, false);
        walk
    }

    /// Walks to the end. After an error `place` is the place at which the walk stopped.
    pub(crate) fn run(&mut self) -> Result<(), PathError> {
        while let Some(step) = self.steps.pop() {
            match step {
                PathStep::Here => {}
                // A missing folder is not a link, so its `..` is the folder before it.
                PathStep::Up if self.place.rest.pop().is_some() => {}
                PathStep::Up => {
                    self.place.trail.below.pop().ok_or(PathError::Outside)?;
                }
                PathStep::Down { name, linked } => self.down(name, linked)?,
            }
        }
        Ok(())
    }

    fn down(&mut self, name: OsString, linked: bool) -> Result<(), PathError> {
        let last = self.steps.is_empty();
        let name = if linked { name } else { self.as_spelled(name)? };
        if !self.place.rest.is_empty() || (last && self.access == PathAccess::Write) {
            return self.leave(name);
        }
        let error = match self.place.trail.enter(&name) {
            Ok(()) => return Ok(()),
            Err(error) => error,
        };
        match Errno::from_io_error(&error) {
            Some(Errno::NOTDIR | Errno::LOOP) => {}
            Some(Errno::NOENT) if self.access == PathAccess::Write && !linked => {
                return self.leave(name);
            }
            _ => return Err(error.into()),
        }
        match system::read_link(&self.place.trail.last().dir, &name) {
            Ok(target) => self.follow(&target),
            Err(_) if last => self.leave(name),
            Err(_) => Err(error.into()),
        }
    }

    /// Returns the name as the folder has it: a lookalike, if the exact name is missing.
    fn as_spelled(&mut self, name: OsString) -> Result<OsString, PathError> {
        let folder = self.place.trail.last();
        if !self.place.rest.is_empty() || !matches!(folder.look(&name), Ok(None)) {
            return Ok(name);
        }
        let found = lookalike(&folder.dir, &name).map_err(PathError::Ambiguous)?;
        self.place.is_lookalike |= found.is_some();
        Ok(found.unwrap_or(name))
    }

    /// Adds a name that is not one of an existing folder to the rest of the place.
    fn leave(&mut self, name: OsString) -> Result<(), PathError> {
        if self.place.names().count() > MAX_DEPTH {
            return Err(Errno::NAMETOOLONG.into());
        }
        self.place.rest.push(name);
        Ok(())
    }

    fn follow(&mut self, target: &OsStr) -> Result<(), PathError> {
        self.links += 1;
        if self.links > MAX_LINKS {
            return Err(Errno::LOOP.into());
        }
        let target = Path::new(target);
        if target.is_absolute() {
            return Err(PathError::Outside);
        }
        self.plan(target, true);
        Ok(())
    }

    /// Inserts the names of a relative path before the names that are left.
    fn plan(&mut self, path: &Path, linked: bool) {
        let bytes = path.as_os_str().as_encoded_bytes();
        let names = bytes.split(|byte| *byte == b'/' || cfg!(windows) && *byte == b'\\');
        self.steps.extend(names.rev().map(|name| match name {
            b"" | b"." => PathStep::Here,
            b".." => PathStep::Up,
            name => PathStep::Down { name: system::path_of_bytes(name), linked },
        }));
    }
}

/// The number of links that a walk follows, as in Linux.
const MAX_LINKS: usize = 40;

/// The number of folders on a path. Each is held open.
const MAX_DEPTH: usize = 128;
