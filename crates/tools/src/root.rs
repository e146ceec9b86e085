use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::UNIX_EPOCH;

use cap_std::ambient_authority;
use cap_std::fs::{Dir, File, Metadata, MetadataExt as _, OpenOptions, OpenOptionsExt as _};
use rustix::fs::OFlags;
use silcrow_exec::Failure;

use crate::tell;

/// The folder that tools are confined to. It is opened once; clones share it, and it stays the
/// same folder when it is renamed.
#[derive(Clone, Debug)]
pub struct Root {
    dir: Arc<Dir>,
}

impl Root {
    /// Opens the folder at `path`, which is the caller's word and not confined.
    ///
    /// # Errors
    ///
    /// [`ErrorKind`] says which; the caller's to mend.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        match Dir::open_ambient_dir(path, ambient_authority()) {
            Ok(dir) => Ok(Self { dir: Arc::new(dir) }),
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
        let metadata = self.dir.dir_metadata()?;
        let (device, inode) = (metadata.dev(), metadata.ino());
        let made = metadata.created().ok().map(|time| time.into_std().duration_since(UNIX_EPOCH));
        Ok(match made {
            Some(Ok(made)) => format!("{device}:{inode}:{}", made.as_nanos()),
            _ => format!("{device}:{inode}"),
        })
    }

    /// For paths that are resolved beneath it.
    pub(crate) fn dir(&self) -> &Dir {
        &self.dir
    }

    /// Opens whatever is at `path`, without waiting for anybody at the other end of a pipe.
    pub(crate) fn peek(&self, path: &Path) -> io::Result<(File, Metadata)> {
        let quiet = OFlags::NONBLOCK | OFlags::NOCTTY;
        let mut options = OpenOptions::new();
        options.read(true).custom_flags(quiet.bits().cast_signed());
        let file = self.dir.open_with(path, &options)?;
        let metadata = file.metadata()?;
        Ok((file, metadata))
    }

    /// What a failed attempt at `path` means, in words for the model.
    pub(crate) fn failure(&self, path: &str, error: &io::Error) -> Failure {
        tell::failure(&self.dir, path, error)
    }
}

/// The path that is meant when a call gives none.
pub(crate) fn here() -> String {
    ".".to_owned()
}

/// Why there is no root.
#[derive(Debug)]
pub struct Error {
    kind: ErrorKind,
    path: PathBuf,
    source: io::Error,
}

/// What was wrong with the root.
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
    /// What was wrong.
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
            ErrorKind::Unreadable => {
                write!(f, "the root `{path}` cannot be opened: {}", self.source)
            }
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.source)
    }
}
