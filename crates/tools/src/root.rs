//! The folder that tools are confined to, and the error of opening it.

use std::borrow::Cow;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::UNIX_EPOCH;

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use silcrow_tool::ToolError;

use crate::blocking::BlockingSlots;
use crate::git_hooks::own_hooks;
use crate::known_files::KnownFiles;
use crate::messages;
use crate::open_folder::OpenFolder;
use crate::protect::ProtectedPaths;
use crate::resolve::{PathAccess, PathError, PathWalk, ResolvedPath};
use crate::system::{Errno, FileId};

/// The folder that tools are confined to.
///
/// It is opened once. Clones share it, and it stays the same folder when it is renamed.
///
/// Files that make git run commands are protected beneath every root. The caller names other files
/// to protect before it creates tools:
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
    /// Its absolute paths on the host: the given one, and the one without links.
    paths: Arc<[PathBuf]>,
    protected: Arc<ProtectedPaths>,
    slots: BlockingSlots,
    /// The contents that conversations have read or written.
    known: KnownFiles,
    /// The lock of everything that changes files.
    writing: Arc<Mutex<()>>,
}

impl Root {
    /// Opens the folder at `path`, which the caller chooses and which is not confined.
    ///
    /// # Errors
    ///
    /// Returns an error if the folder at `path` does not exist or cannot be opened.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        match Dir::open_ambient_dir(path, ambient_authority()).and_then(OpenFolder::new) {
            Ok(folder) => {
                let paths = [std::path::absolute(path), path.canonicalize()];
                let protected = Arc::new(ProtectedPaths::new(&folder));
                let paths = paths.into_iter().flatten().collect();
                Ok(Self {
                    folder,
                    paths,
                    protected,
                    slots: BlockingSlots::new(),
                    known: KnownFiles::default(),
                    writing: Arc::default(),
                })
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

    /// Returns a text that identifies this folder on this machine, even after it is renamed.
    ///
    /// It consists of the device, the inode and, if the file system records it, the time of
    /// creation, because inode numbers are reused.
    ///
    /// # Errors
    ///
    /// Returns the system's error if it cannot read the metadata of the folder.
    pub fn identity(&self) -> io::Result<String> {
        let metadata = self.folder.dir.dir_metadata()?;
        let FileId { dev: device, ino: inode } = FileId::from_metadata(&metadata);
        let made = metadata.created().ok().map(|time| time.into_std().duration_since(UNIX_EPOCH));
        Ok(match made {
            Some(Ok(made)) => format!("{device}:{inode}:{}", made.as_nanos()),
            _ => format!("{device}:{inode}"),
        })
    }

    /// Protects the file or folder at `path` of the host, with everything in it: each change of it
    /// needs a person's own approval. `what` describes it, such as `the manifest of this run`.
    #[must_use]
    pub fn with_protected(mut self, path: impl AsRef<Path>, what: impl Into<String>) -> Self {
        Arc::make_mut(&mut self.protected).add(path.as_ref(), what.into(), false);
        self
    }

    /// Protects the file or folder at `path` of the host, with everything in it, from being written
    /// or read. `what` describes it to the model, such as `the store of conversations`.
    #[must_use]
    pub fn with_private(mut self, path: impl AsRef<Path>, what: impl Into<String>) -> Self {
        Arc::make_mut(&mut self.protected).add(path.as_ref(), what.into(), true);
        self
    }

    /// Protects a home folder's start files, so that every change of one needs a separate approval:
    /// files of shells, logins and desktops, and the settings of git and ssh.
    #[must_use]
    pub fn with_home(mut self, path: impl Into<PathBuf>) -> Self {
        Arc::make_mut(&mut self.protected).add_home(path.into());
        self
    }

    /// Returns paths at or beneath the root that are changed only with a person's own approval,
    /// besides those with [start names](crate::start_names): the start files of homes, and the
    /// hooks of the root's own repository. They need not exist.
    pub fn protected_paths(&self) -> Vec<PathBuf> {
        let Some(path) = self.path() else { return Vec::new() };
        let hooks = own_hooks(&self.folder, path).filter(|hooks| hooks.starts_with(path));
        self.protected.home_files(path).into_iter().chain(hooks).collect()
    }

    /// Resolves a path of a model beneath the root.
    ///
    /// # Errors
    ///
    /// Returns an error if the path leads out, if the place is private, or if the system fails.
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
        // The check comes before the walk's error, so that a private folder does not reveal what it
        // contains.
        self.risk(&walk.place, access)?;
        walked.map(|()| walk.place)
    }

    /// Returns the risk of accessing a place, which a person must have approved.
    ///
    /// # Errors
    ///
    /// Returns an error if the place is private.
    pub(crate) fn risk(
        &self,
        place: &ResolvedPath,
        access: PathAccess,
    ) -> Result<Option<String>, PathError> {
        self.protected.risk(place, access)
    }

    /// Returns the contents that conversations know.
    pub(crate) const fn known(&self) -> &KnownFiles {
        &self.known
    }

    /// Waits until no other call changes files beneath the root.
    pub(crate) fn lock_writes(&self) -> MutexGuard<'_, ()> {
        self.writing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the ids of the files and folders that are not read.
    pub(crate) fn private(&self) -> Vec<FileId> {
        self.protected.private()
    }

    /// Returns the absolute path of the root when it was opened, without links if it is known.
    pub(crate) fn path(&self) -> Option<&Path> {
        self.paths.last().map(PathBuf::as_path)
    }

    /// Returns the folder itself.
    pub(crate) const fn folder(&self) -> &OpenFolder {
        &self.folder
    }

    /// Returns the slots that bound concurrent work on files.
    pub(crate) fn slots(&self) -> &BlockingSlots {
        &self.slots
    }

    /// Returns the path relative to the root.
    fn below<'p>(&self, path: &'p str) -> Result<Cow<'p, Path>, PathError> {
        if !path.starts_with('/') {
            return Ok(Path::new(path).into());
        }
        let below = self.paths.iter().find_map(|root| Path::new(path).strip_prefix(root).ok());
        let below = below.ok_or(PathError::Outside)?;
        // A final `/` is not a component, but says that a folder is meant.
        Ok(if path.ends_with('/') || path.ends_with("/.") || below == Path::new("") {
            below.join(".").into()
        } else {
            below.into()
        })
    }

    /// Returns the message to the model about a failure at `path`.
    pub(crate) fn failure(&self, path: &str, error: impl Into<PathError>) -> ToolError {
        match error.into() {
            PathError::Outside if path.starts_with('/') => {
                let root = self.paths.last().map(|root| root.to_string_lossy());
                messages::outside_root(path, root.as_deref())
            }
            PathError::Outside => messages::outside_root(path, None),
            PathError::Ambiguous(names) => messages::ambiguous(path, &names),
            PathError::Protected(why) => messages::protected(path, &why),
            PathError::System(error) => match self.below(path) {
                Ok(below) => messages::system_error(&self.folder.dir, path, &below, &error),
                Err(_) => messages::outside_root(path, None),
            },
        }
    }
}

/// The longest path in bytes.
const MAX_PATH: usize = 4096;

/// Returns the path that a call means if it gives none.
pub(crate) fn here() -> String {
    ".".to_owned()
}

/// The error of opening a [`Root`]. It is the caller's to mend.
///
/// ```
/// use silcrow_tools::Root;
///
/// let error = Root::open("there/is/no/such/folder").unwrap_err();
/// assert!(error.to_string().contains("does not exist; give a folder that does"), "{error}");
/// ```
#[derive(Debug)]
pub struct Error {
    kind: ErrorKind,
    path: PathBuf,
    source: io::Error,
}

/// The kind of an [`Error`].
///
/// ```
/// use silcrow_tools::{ErrorKind, Root};
///
/// let file = tempfile::NamedTempFile::new()?;
/// match Root::open(file.path()).unwrap_err().kind() {
///     ErrorKind::NotAFolder => {}
///     kind => unreachable!("{kind}"),
/// }
/// # std::io::Result::Ok(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The path does not exist.
    Missing,
    /// The path names a file or something else that is not a folder.
    NotAFolder,
    /// The system does not open the folder; the source says why.
    Unreadable,
}

impl Error {
    /// Returns the kind of the error.
    pub const fn kind(&self) -> ErrorKind {
        self.kind
    }
}

impl ErrorKind {
    /// Returns a word that programs may compare.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Missing => "root_missing",
            Self::NotAFolder => "root_not_a_folder",
            Self::Unreadable => "root_unreadable",
        }
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display();
        match self.kind {
            ErrorKind::Missing => {
                write!(f, "the root `{path}` does not exist; give a folder that does")
            }
            ErrorKind::NotAFolder => write!(f, "the root `{path}` is not a folder; name a folder"),
            ErrorKind::Unreadable => write!(f, "the root `{path}` cannot be opened"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        // The messages of the other kinds already contain the source.
        (self.kind == ErrorKind::Unreadable).then_some(&self.source as _)
    }
}
