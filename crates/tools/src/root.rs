//! The folder that tools are confined to, and why there may be none.

use std::borrow::Cow;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::UNIX_EPOCH;

use cap_std::ambient_authority;
use cap_std::fs::{Dir, File, Metadata, MetadataExt as _};
use rustix::io::Errno;
use silcrow_exec::ToolError;

use crate::blocking::BlockingSlots;
use crate::protect::ProtectedPaths;
use crate::resolve::{FileId, OpenFolder, PathAccess, PathError, PathWalk, ResolvedPath};
use crate::tell;

/// The folder that tools are confined to. It is opened once; clones share it, and it stays the
/// same folder when it is renamed.
///
/// What makes git run commands is protected beneath every root. What else is to be protected
/// belongs to the caller, who names it before tools are made:
///
/// ```
/// # fn main() -> Result<(), silcrow_tools::Error> {
/// use silcrow_tools::{FileWrite, Root};
///
/// let root = Root::open(".")?
///     .with_protected("silcrow.toml", "the manifest of this run")
///     .with_private("/var/lib/silcrow", "the store of conversations")
///     .with_home("/home/me");
/// let write = FileWrite::new(&root);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Root {
    folder: OpenFolder,
    /// Its absolute paths on the host, as it was named and without links.
    paths: Arc<[PathBuf]>,
    protected: Arc<ProtectedPaths>,
    slots: BlockingSlots,
}

impl Root {
    /// Opens the folder at `path`, which is the caller's word and not confined.
    ///
    /// # Errors
    ///
    /// [`ErrorKind`] says which; the caller's to mend.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        match Dir::open_ambient_dir(path, ambient_authority()).and_then(OpenFolder::new) {
            Ok(folder) => {
                let paths = [std::path::absolute(path), path.canonicalize()];
                let protected = Arc::new(ProtectedPaths::new(&folder));
                let paths = paths.into_iter().flatten().collect();
                Ok(Self { folder, paths, protected, slots: BlockingSlots::new() })
            }
            Err(error) => {
                let kind = match error.kind() {
                    io::ErrorKind::NotFound => ErrorKind::Missing,
                    io::ErrorKind::NotADirectory => ErrorKind::NotAFolder,
                    _ => ErrorKind::Unreadable,
                };
                Err(Error { kind, path: path.to_owned(), source: error })
            }
        }
    }

    /// Returns what tells this folder from every other one on this machine, and stays with it when
    /// it is renamed: its device, its inode and, where the file system keeps that, when it was
    /// made, because an inode's number is used again.
    ///
    /// # Errors
    ///
    /// What the system says of the open folder.
    pub fn identity(&self) -> io::Result<String> {
        let metadata = self.folder.dir.dir_metadata()?;
        let (device, inode) = (metadata.dev(), metadata.ino());
        let made = metadata.created().ok().map(|time| time.into_std().duration_since(UNIX_EPOCH));
        Ok(match made {
            Some(Ok(made)) => format!("{device}:{inode}:{}", made.as_nanos()),
            _ => format!("{device}:{inode}"),
        })
    }

    /// Returns the root, in which the file or folder at `path` of the host, and all in it, is not
    /// written. `what` says what it is, such as `the manifest of this run`.
    #[must_use]
    pub fn with_protected(mut self, path: impl AsRef<Path>, what: impl Into<String>) -> Self {
        Arc::make_mut(&mut self.protected).add(path.as_ref(), what.into(), false);
        self
    }

    /// Returns the root, in which the file or folder at `path` of the host, and all in it, is
    /// neither written nor read. `what` says what it is, such as `the store of conversations`.
    #[must_use]
    pub fn with_private(mut self, path: impl AsRef<Path>, what: impl Into<String>) -> Self {
        Arc::make_mut(&mut self.protected).add(path.as_ref(), what.into(), true);
        self
    }

    /// Returns the root, in which the start files of this home folder of the host are not written: of
    /// shells, logins and desktops, and the settings of git and ssh.
    #[must_use]
    pub fn with_home(mut self, path: impl Into<PathBuf>) -> Self {
        Arc::make_mut(&mut self.protected).add_home(path.into());
        self
    }

    /// What `path`, as a model writes it, names beneath the root, if the access is not protected.
    pub(crate) fn find(&self, path: &str, access: PathAccess) -> Result<ResolvedPath, PathError> {
        let below = self.below(path)?;
        let bytes = below.as_os_str().len();
        if bytes == 0 {
            return Err(Errno::NOENT.into());
        }
        if bytes > MAX_PATH {
            return Err(Errno::NAMETOOLONG.into());
        }
        let mut walk = PathWalk::new(self.folder.clone(), &below, access);
        let walked = walk.run();
        // Also of what is missing: a protected folder does not tell what it holds.
        self.check(&walk.place, access)?;
        walked.map(|()| walk.place)
    }

    /// Opens a file or folder to be read.
    pub(crate) fn open_at(&self, path: &str) -> Result<(File, Metadata), PathError> {
        let place = self.find(path, PathAccess::Read)?;
        let opened = place.open()?;
        Ok(opened)
    }

    /// Fails if the place is protected against the access.
    pub(crate) fn check(&self, place: &ResolvedPath, access: PathAccess) -> Result<(), PathError> {
        self.protected.check(place, access)
    }

    /// Files and folders that are not read.
    pub(crate) fn private(&self) -> Vec<FileId> {
        self.protected.private()
    }

    /// What bounds the work on files at once.
    pub(crate) fn slots(&self) -> &BlockingSlots {
        &self.slots
    }

    /// A path relative to the root, of an absolute one what is below the root.
    fn below<'p>(&self, path: &'p str) -> Result<Cow<'p, Path>, PathError> {
        if !path.starts_with('/') {
            return Ok(Path::new(path).into());
        }
        let below = self.paths.iter().find_map(|root| Path::new(path).strip_prefix(root).ok());
        let below = below.ok_or(PathError::Outside)?;
        // A final `/` is no component and says that a folder is meant.
        Ok(if path.ends_with('/') || path.ends_with("/.") || below == Path::new("") {
            below.join(".").into()
        } else {
            below.into()
        })
    }

    /// What a failed attempt at `path` means, in words for the model.
    pub(crate) fn failure(&self, path: &str, error: impl Into<PathError>) -> ToolError {
        match error.into() {
            PathError::Outside if path.starts_with('/') => {
                let root = self.paths.last().map(|root| root.to_string_lossy());
                tell::elsewhere(path, root.as_deref())
            }
            PathError::Outside => tell::outside(path),
            PathError::Protected(why) => tell::protected(path, &why),
            PathError::System(error) => match self.below(path) {
                Ok(below) => tell::failure(&self.folder.dir, path, &below, &error),
                Err(_) => tell::outside(path),
            },
        }
    }
}

/// Bytes of a path.
const MAX_PATH: usize = 4096;

/// The path that is meant when a call gives none.
pub(crate) fn here() -> String {
    ".".to_owned()
}

/// An error that says why there is no root.
#[derive(Debug)]
pub struct Error {
    kind: ErrorKind,
    path: PathBuf,
    source: io::Error,
}

/// The kinds of errors for which there is no root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// There is nothing of that name.
    Missing,
    /// It is a file or something else.
    NotAFolder,
    /// The system did not let us in; the source says why.
    Unreadable,
}

impl Error {
    /// Returns what was wrong.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display();
        match self.kind {
            ErrorKind::Missing => {
                write!(f, "the root `{path}` does not exist; give a folder that does")
            }
            ErrorKind::NotAFolder => write!(f, "the root `{path}` is no folder; give one"),
            ErrorKind::Unreadable => write!(f, "the root `{path}` cannot be opened"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        // The messages of the other kinds say what the system said.
        (self.kind == ErrorKind::Unreadable).then_some(&self.source as _)
    }
}
