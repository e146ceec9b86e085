//! The copy of sled's files that is opened in their place.
//!
//! sled writes to the files that it opens, and cuts them off where it finds damage. So it gets a
//! copy, and the files of the old store stay as they are.

use std::fs::{self, DirBuilder, File};
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

use silcrow_store::Error;

use crate::fault::failed;
use crate::trust::open_options;

/// A folder with a copy of sled's files, which is removed when this is dropped.
#[derive(Debug)]
pub(crate) struct DataCopy(PathBuf);

impl DataCopy {
    /// Copies what is in the folder `data`, if there is one, to the folder `to`. A copy that a
    /// killed process left there is removed first.
    pub(crate) fn make(data: &Path, to: PathBuf) -> Result<Self, Error> {
        match fs::remove_dir_all(&to) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(failed("removing", &to, error));
            }
            _ => {}
        }
        // What was copied before an error is removed, too.
        let copy = Self(to);
        if data.exists() {
            copy_folder(data, &copy.0).map_err(|error| failed("copying", data, error))?;
        }
        Ok(copy)
    }

    /// Returns the folder.
    pub(crate) fn folder(&self) -> &Path {
        &self.0
    }
}

impl Drop for DataCopy {
    fn drop(&mut self) {
        // What is left of it is removed the next time.
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn copy_folder(from: &Path, to: &Path) -> io::Result<()> {
    DirBuilder::new().mode(0o700).create(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        match entry.file_type()?.is_dir() {
            true => copy_folder(&from, &to)?,
            false => copy_file(&from, &to)?,
        }
    }
    Ok(())
}

fn copy_file(from: &Path, to: &Path) -> io::Result<()> {
    let mut from = open_options().read(true).open(from)?;
    let mut to: File = open_options().write(true).create_new(true).open(to)?;
    io::copy(&mut from, &mut to).map(drop)
}
