//! The folder of the index: its owner, and whether its files are unchanged.
//!
//! This module checks files and their checksum, whatever they contain.
//!
//! ```text
//! DIR/index/LOCK  is locked while a process uses the index
//! DIR/index/data/ sled's files
//! DIR/index/SEAL  their checksum, while nobody uses them
//! ```
//!
//! The seal is broken before sled opens the files, and set after it has closed them. So a kill, a
//! power cut or damage leaves files without a seal that fits, and sled never sees those.

use std::fs::{self, File, TryLockError};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
// The wait for another process is on a separate thread, outside any runtime.
use std::time::{Duration, Instant};

use crate::file_bytes::FileBytes;
use crate::{names, trust};

/// The folder of the index, which no other process uses until this is dropped.
#[derive(Debug)]
pub(crate) struct IndexFolder {
    dir: PathBuf,
    lock: File,
}

/// Whether sled's files are as they were left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FolderSeal {
    /// There are no files.
    Missing,
    /// They have changed, or were left in the middle of a write.
    Broken,
    Whole,
}

impl IndexFolder {
    /// Takes the index of the store in `store`, and makes the folder if there is none.
    ///
    /// # Errors
    ///
    /// Returns [`WouldBlock`](io::ErrorKind::WouldBlock) if another process uses it for longer than
    /// a search takes.
    pub(crate) fn take(store: &Path) -> io::Result<Self> {
        let dir = store.join(names::INDEX);
        match trust::new_folder().create(&dir) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
        let mut options = trust::open_options();
        options.read(true).write(true).create(true).truncate(false);
        let lock = options.open(dir.join(LOCK))?;
        let begin = Instant::now();
        loop {
            match lock.try_lock() {
                Ok(()) => return Ok(Self { dir, lock }),
                Err(TryLockError::WouldBlock) if begin.elapsed() < PATIENCE => {
                    std::thread::sleep(PAUSE);
                }
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Returns the folder with sled's files.
    pub(crate) fn data(&self) -> PathBuf {
        self.dir.join(DATA)
    }

    /// Compares the files with their seal.
    pub(crate) fn seal(&self) -> FolderSeal {
        if fs::symlink_metadata(self.data()).is_err() {
            return FolderSeal::Missing;
        }
        let is_whole = || -> io::Result<bool> {
            let mut seal = String::new();
            let file = trust::open_options().read(true).open(self.dir.join(SEAL))?;
            file.take(MAX_SEAL).read_to_string(&mut seal)?;
            Ok(seal == self.sum()?)
        };
        match is_whole() {
            Ok(true) => FolderSeal::Whole,
            _ => FolderSeal::Broken,
        }
    }

    pub(crate) fn break_seal(&self) -> io::Result<()> {
        remove(fs::remove_file(self.dir.join(SEAL)))
    }

    pub(crate) fn set_seal(&self) -> io::Result<()> {
        let seal = self.sum()?;
        let mut options = trust::open_options();
        let mut file = options.write(true).create(true).truncate(true).open(self.dir.join(SEAL))?;
        io::Write::write_all(&mut file, seal.as_bytes())
    }

    /// Removes the index.
    pub(crate) fn clear(&self) -> io::Result<()> {
        self.break_seal()?;
        match fs::symlink_metadata(self.data()) {
            Ok(found) if !found.is_dir() => remove(fs::remove_file(self.data())),
            _ => remove(fs::remove_dir_all(self.data())),
        }
    }

    /// Returns the text of the seal: the format, and the checksum of all files.
    fn sum(&self) -> io::Result<String> {
        let mut sum = 0;
        add_folder(&self.data(), &mut sum)?;
        Ok(format!("{FORMAT} {sum:08x}\n"))
    }
}

impl Drop for IndexFolder {
    fn drop(&mut self) {
        // A child that is being started has a copy of the file until it runs its program.
        let _ = self.lock.unlock();
    }
}

/// Adds the names, lengths and contents of files to a checksum.
fn add_folder(folder: &Path, sum: &mut u32) -> io::Result<()> {
    let entries = fs::read_dir(folder)?.map(|entry| Ok(entry?.path()));
    let mut paths = entries.collect::<io::Result<Vec<_>>>()?;
    paths.sort_unstable();
    for path in paths {
        let name = path.file_name().unwrap_or_default().as_encoded_bytes();
        let found = fs::symlink_metadata(&path)?;
        for part in [&name.len().to_le_bytes()[..], name, &found.len().to_le_bytes()] {
            *sum = crc32c::crc32c_append(*sum, part);
        }
        if found.is_dir() {
            add_folder(&path, sum)?;
            continue;
        }
        // This opens no link.
        let file = trust::open_options().read(true).open(&path)?;
        let (mut bytes, mut at) = (FileBytes::default(), 0);
        loop {
            bytes.read(&file, at, BUFFER)?;
            if bytes.is_empty() {
                break;
            }
            *sum = crc32c::crc32c_append(*sum, &bytes);
            at += bytes.len() as u64;
        }
    }
    Ok(())
}

fn remove(removed: io::Result<()>) -> io::Result<()> {
    match removed {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}

/// The contents of the seal before the checksum.
const FORMAT: &str = "silcrow-index 1";

const LOCK: &str = "LOCK";
const DATA: &str = "data";
const SEAL: &str = "SEAL";

/// The maximum length of a seal, in bytes.
const MAX_SEAL: u64 = 64;

/// The number of bytes that are read at a time.
const BUFFER: usize = 256 << 10;

/// The time for which a search waits for another one. Without the index it takes about as long.
const PATIENCE: Duration = Duration::from_millis(250);
const PAUSE: Duration = Duration::from_millis(5);
