//! The files of a server's first start: its program and the files that its declaration names.
//!
//! A server that ends is started again by the next call. Somebody may have changed its files by
//! then, so a later start is compared with the first one.

use std::fs::{self, File, Metadata};
use std::io::{self, BufRead as _, BufReader};
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};
use silcrow_system::SystemMetadata as _;

use crate::client::program::found_program;
use crate::config::ServerCommand;

/// The files of a start, and the state of each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StartedFiles(Vec<(PathBuf, FileContents)>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum FileContents {
    /// It cannot be read, for example because it does not exist.
    Missing,
    /// The SHA-256 of the contents.
    Hash([u8; 32]),
    /// The state of a file that is too long to be read at each start, by the system's data: device,
    /// inode, length, and the times of the last changes.
    Long([u64; 5]),
}

impl StartedFiles {
    /// Reads the present contents of a server's program and the named files. Returns `None` if
    /// there is no program, and then nothing starts.
    pub(crate) fn read(server: &ServerCommand) -> Option<Self> {
        let program = found_program(server).ok().filter(|program| program.is_file())?;
        let files = [&program].into_iter().chain(&server.compared);
        Some(Self(files.map(|file| (file.clone(), contents(file))).collect()))
    }

    /// Returns the first file that differs from another start's.
    pub(crate) fn difference(&self, other: &Self) -> Option<PathBuf> {
        let mut pairs = self.0.iter().zip(&other.0);
        pairs.find(|(own, other)| own != other).map(|(_, (path, _))| path.clone())
    }
}

fn contents(path: &Path) -> FileContents {
    let Ok(found) = fs::metadata(path) else { return FileContents::Missing };
    if !found.is_file() {
        return FileContents::Missing;
    }
    if found.len() > LONGEST_READ {
        return long(&found);
    }
    hashed(path).map_or(FileContents::Missing, FileContents::Hash)
}

fn hashed(path: &Path) -> io::Result<[u8; 32]> {
    let (mut file, mut hash) = (BufReader::new(File::open(path)?), Sha256::new());
    loop {
        let read = match file.fill_buf()? {
            [] => return Ok(hash.finalize().into()),
            bytes => {
                hash.update(bytes);
                bytes.len()
            }
        };
        file.consume(read);
    }
}

fn long(found: &Metadata) -> FileContents {
    FileContents::Long(found.stamp())
}

/// The length of the longest file that is read at each start, in bytes.
const LONGEST_READ: u64 = 64 * 1024 * 1024;
