//! The folder of an old store: recognised, checked and locked before sled sees any of it.
//!
//! This module knows the names in the folder. It does not know what sled has in its files.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use silcrow_store::Error;

use crate::data_copy::DataCopy;
use crate::fault::{failed, not_a_store};
use crate::lock::Lock;
use crate::{side_files, trust};

/// A folder that is an old store, whose lock this process has.
#[derive(Debug)]
pub(crate) struct Folder {
    dir: PathBuf,
    _lock: Lock,
}

impl Folder {
    /// Checks the folder, takes its lock, and completes what a killed process left half done.
    pub(crate) fn take(dir: &Path) -> Result<Self, Error> {
        // No lock file is made in a folder that is something else.
        check_format(dir)?;
        trust::check(dir)?;
        let lock = Lock::take(dir)?;
        // Another process may have migrated the store meanwhile.
        check_format(dir)?;
        let folder = Self { dir: dir.to_owned(), _lock: lock };
        folder.finish_compaction()?;
        Ok(folder)
    }

    /// Returns the size of sled's files, in bytes.
    pub(crate) fn size(&self) -> Result<u64, Error> {
        let data = self.data();
        let lengths = || -> io::Result<u64> {
            fs::read_dir(&data)?.map(|entry| Ok(entry?.metadata()?.len())).sum()
        };
        match lengths() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(0),
            size => size.map_err(|error| failed("reading", &data, error)),
        }
    }

    /// Copies sled's files, so that sled can open them.
    pub(crate) fn copy(&self) -> Result<DataCopy, Error> {
        let copy = DataCopy::make(&self.data(), self.dir.join(COPY))?;
        if copy.folder().exists() {
            side_files::clear(copy.folder())?;
        }
        Ok(copy)
    }

    /// Returns the folder with sled's files.
    fn data(&self) -> PathBuf {
        self.dir.join(DATA)
    }

    /// Completes a compaction, which replaced `data` by way of `data.old`, so one of them is there.
    fn finish_compaction(&self) -> Result<(), Error> {
        let old = self.dir.join(OLD_DATA);
        if self.data().exists() || !old.exists() {
            return Ok(());
        }
        fs::rename(&old, self.data()).map_err(|error| failed("moving", &old, error))?;
        let synced = File::open(&self.dir).and_then(|dir| dir.sync_all());
        synced.map_err(|error| failed("syncing", &self.dir, error))
    }
}

/// Checks that the folder is a store that can be read here. sled opens the files of another version
/// of itself as if they were empty, so this is checked before sled sees them.
fn check_format(dir: &Path) -> Result<(), Error> {
    let path = dir.join(FORMAT);
    let read = || -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let file = trust::open_options().read(true).open(&path)?;
        file.take(MAX_FORMAT).read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    match read() {
        Ok(format) if format == OURS.as_bytes() => Ok(()),
        Ok(format) => {
            let shown = String::from_utf8_lossy(&format);
            let (shown, ours) = (shown.trim(), OURS.trim());
            Err(not_a_store(dir, &format!("its file FORMAT says {shown:?} instead of {ours:?}")))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            Err(not_a_store(dir, "it has no file FORMAT"))
        }
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => {
            Err(not_a_store(dir, "it is no folder"))
        }
        Err(error) => Err(failed("reading", &path, error)),
    }
}

const FORMAT: &str = "FORMAT";
const DATA: &str = "data";

/// The folder with the copy of sled's files.
const COPY: &str = "reading";

/// The folder with the files from before a compaction.
const OLD_DATA: &str = "data.old";

/// What `FORMAT` says.
const OURS: &str = "silcrow-store-sled 2\n";

/// The most that is read of `FORMAT`, in bytes.
const MAX_FORMAT: u64 = 40;
