//! The files of a migration: what is built, moved into place and put away.
//!
//! Every function can be interrupted at any moment and repeated.

use std::fs::{self, DirBuilder, File};
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

use crate::failure::Failure;

/// The folder of a store that is migrated.
#[derive(Debug)]
pub(super) struct MigrationFiles {
    folder: PathBuf,
}

impl MigrationFiles {
    pub(super) fn new(folder: &Path) -> Self {
        Self { folder: folder.to_owned() }
    }

    /// Returns whether the store is of an earlier version.
    pub(super) fn has_old_format(&self) -> Result<bool, Failure> {
        let path = self.folder.join(FORMAT);
        match fs::read(&path) {
            Ok(format) => Ok(format.starts_with(b"silcrow-store-sled ")),
            Err(error) if is_missing(&error) => Ok(false),
            Err(error) => Err(failed("reading", &path, &error)),
        }
    }

    /// Returns whether a migration was interrupted after the new store was moved into place.
    pub(super) fn has_leftovers(&self) -> Result<bool, Failure> {
        if !is_there(&self.kept().join(FORMAT))? {
            return Ok(false);
        }
        for name in [NEW_STORE, DATA, COPY] {
            if is_there(&self.folder.join(name))? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns the folder in which the new store is built.
    pub(super) fn new_store(&self) -> PathBuf {
        self.folder.join(NEW_STORE)
    }

    /// Removes what an interrupted migration has built. Only for the process that has the lock of
    /// the old store.
    pub(super) fn clear(&self) -> Result<(), Failure> {
        if !self.has_old_format()? {
            return Ok(());
        }
        remove(&self.new_store())?;
        remove(&self.folder.join(LOG))
    }

    /// Makes the new store stay after a power cut.
    pub(super) fn sync_new_store(&self) -> Result<(), Failure> {
        let log = self.new_store().join(LOG);
        for name in names(&log)? {
            sync(&log.join(name))?;
        }
        sync(&log)?;
        sync(&self.new_store().join(FORMAT))?;
        sync(&self.new_store())
    }

    /// Puts the new store in the place of the old one. Only for the process that has the lock of
    /// the old store.
    pub(super) fn move_into_place(&self) -> Result<(), Failure> {
        let kept = self.kept();
        make(&kept)?;
        // The new store overwrites the old mark, which it cannot read.
        for name in [MARK, FORMAT] {
            copy(&self.folder.join(name), &kept.join(name))?;
        }
        sync(&kept)?;
        rename(&self.new_store().join(LOG), &self.folder.join(LOG))?;
        sync(&self.folder)?;
        rename(&self.new_store().join(FORMAT), &self.folder.join(FORMAT))?;
        sync(&self.folder)
    }

    /// Puts the old files away, and returns the folder that has them.
    pub(super) fn put_away(&self) -> Result<PathBuf, Failure> {
        // `share` had the socket of a run, and the next two are what a compaction left.
        for name in ["share", "data.new", "data.old", COPY] {
            remove(&self.folder.join(name))?;
        }
        for name in ["RESERVE", DATA] {
            rename(&self.folder.join(name), &self.kept().join(name))?;
        }
        remove(&self.new_store())?;
        sync(&self.kept())?;
        sync(&self.folder)?;
        Ok(self.kept())
    }

    fn kept(&self) -> PathBuf {
        self.folder.join(KEPT)
    }
}

fn is_there(path: &Path) -> Result<bool, Failure> {
    match fs::metadata(path) {
        Err(error) if is_missing(&error) => Ok(false),
        found => found.map(|_| true).map_err(|error| failed("reading", path, &error)),
    }
}

fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

fn names(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let read = || -> io::Result<Vec<PathBuf>> {
        fs::read_dir(folder)?.map(|entry| Ok(entry?.file_name().into())).collect()
    };
    read().map_err(|error| failed("reading", folder, &error))
}

fn make(folder: &Path) -> Result<(), Failure> {
    match DirBuilder::new().mode(0o700).create(folder) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
            Err(failed("making", folder, &error))
        }
        _ => Ok(()),
    }
}

/// Copies a file whole or not at all.
fn copy(from: &Path, to: &Path) -> Result<(), Failure> {
    let new = to.with_extension("new");
    match fs::copy(from, &new) {
        // A store of an earlier version may have no mark.
        Err(error) if error.kind() == io::ErrorKind::NotFound && !from.exists() => return Ok(()),
        copied => copied.map_err(|error| failed("copying", from, &error))?,
    };
    sync(&new)?;
    rename(&new, to)
}

/// Moves a file or a folder, unless that was done before.
fn rename(from: &Path, to: &Path) -> Result<(), Failure> {
    match fs::rename(from, to) {
        Err(error) if error.kind() == io::ErrorKind::NotFound && !from.exists() => Ok(()),
        moved => moved.map_err(|error| failed("moving", from, &error)),
    }
}

fn remove(folder: &Path) -> Result<(), Failure> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(failed("removing", folder, &error))
        }
        _ => Ok(()),
    }
}

fn sync(path: &Path) -> Result<(), Failure> {
    let synced = File::open(path).and_then(|file| file.sync_all());
    synced.map_err(|error| failed("syncing", path, &error))
}

fn failed(doing: &str, path: &Path, error: &io::Error) -> Failure {
    Failure::running(format!(
        "{doing} {} failed: {error}; check the disk and its permissions, then run `silcrow log \
         migrate` again",
        path.display()
    ))
}

const FORMAT: &str = "FORMAT";
const MARK: &str = "MARK";

/// The folder with the files of the old store.
const DATA: &str = "data";

/// The folder with the copy of these files that is read.
const COPY: &str = "reading";

/// The folder with the segments of a new store.
const LOG: &str = "log";

const NEW_STORE: &str = "migrating";
const KEPT: &str = "store-sled";
