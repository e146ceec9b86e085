//! A folder that is held open, and the entries in it.
//!
//! This module opens entries by their names and follows no link.

use std::ffi::OsStr;
use std::io;
use std::sync::Arc;

use cap_std::fs::{Dir, File, Metadata};

use crate::system::{self, Errno, FileId};

/// A folder that is held open.
#[derive(Clone, Debug)]
pub(crate) struct OpenFolder {
    pub(crate) dir: Arc<Dir>,
    pub(crate) id: FileId,
}

impl OpenFolder {
    pub(crate) fn new(dir: Dir) -> io::Result<Self> {
        let id = FileId::from_metadata(&dir.dir_metadata()?);
        Ok(Self { dir: Arc::new(dir), id })
    }

    /// Opens the folder with this name in it. A link is an error.
    pub(crate) fn enter(&self, name: &OsStr) -> io::Result<Self> {
        Self::new(system::enter(&self.dir, name)?)
    }

    /// Opens the entry with this name. A link is an error, and opening a pipe does not block.
    pub(crate) fn open(&self, name: &OsStr) -> io::Result<(File, Metadata)> {
        let file = system::open_entry(&self.dir, name)?;
        let metadata = file.metadata()?;
        Ok((file, metadata))
    }

    /// Makes entries that were added to the folder, or removed from it, survive a power cut.
    pub(crate) fn sync(&self) -> io::Result<()> {
        let synced = match self.open(OsStr::new(".")) {
            Ok((folder, _)) => {
                folder.sync_all().map_err(|error| (Errno::from_io_error(&error), error))
            }
            Err(error) => Err((Some(Errno::ACCESS), error)),
        };
        match synced {
            // A folder that may not be read, or whose file system syncs no folders, cannot be synced
            // alone.
            Err((Some(Errno::ACCESS | Errno::INVAL | Errno::NOTSUP), _)) => {
                system::sync_all();
                Ok(())
            }
            synced => synced.map_err(|(_, error)| error),
        }
    }

    /// Returns the folders above it, the nearest first, up to one that cannot be opened.
    pub(crate) fn above(&self) -> impl Iterator<Item = Self> {
        std::iter::successors(Some(self.clone()), |folder| {
            let above = folder.enter(OsStr::new("..")).ok()?;
            (above.id != folder.id).then_some(above)
        })
        .skip(1)
    }

    /// Returns the metadata of the entry with this name, or `None` if it does not exist. A link is
    /// not followed.
    pub(crate) fn look(&self, name: &OsStr) -> io::Result<Option<Metadata>> {
        match self.dir.symlink_metadata(name) {
            Ok(metadata) => Ok(Some(metadata)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }
}
