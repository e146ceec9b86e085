//! Reading and writing at an offset, and folders: operations whose names in the standard library
//! differ by system.

use std::fs::{self, File};
use std::io;
use std::ops::Range;
use std::path::Path;

use silcrow_store::Error;

use crate::fault::failed;

/// Fills `bytes` up to the end of the file, and returns the number of bytes.
pub(crate) fn read_at(file: &File, bytes: &mut [u8], at: u64) -> io::Result<usize> {
    let mut done = 0;
    while done < bytes.len() {
        match system::read(file, &mut bytes[done..], at + done as u64) {
            Ok(0) => break,
            Ok(read) => done += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(done)
}

/// Writes all of `bytes`.
pub(crate) fn write_all_at(file: &File, bytes: &[u8], at: u64) -> io::Result<()> {
    let mut done = 0;
    while done < bytes.len() {
        match system::write(file, &bytes[done..], at + done as u64) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(written) => done += written,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Writes zeros to a range of offsets, in pieces: the kernel keeps bytes that are written at once
/// in one piece of memory, and looks through all of it whenever a part of it is written and synced.
pub(crate) fn write_zeros_at(file: &File, mut range: Range<u64>) -> io::Result<()> {
    static ZEROS: [u8; 16 << 10] = [0; 16 << 10];
    while !range.is_empty() {
        let length = (range.end - range.start).min(ZEROS.len() as u64);
        write_all_at(file, &ZEROS[..length as usize], range.start)?;
        range.start += length;
    }
    Ok(())
}

#[cfg(unix)]
mod system {
    use std::fs::File;
    use std::io;
    use std::os::unix::fs::FileExt as _;

    pub(super) fn read(file: &File, bytes: &mut [u8], at: u64) -> io::Result<usize> {
        file.read_at(bytes, at)
    }

    pub(super) fn write(file: &File, bytes: &[u8], at: u64) -> io::Result<usize> {
        file.write_at(bytes, at)
    }
}

#[cfg(windows)]
mod system {
    use std::fs::File;
    use std::io;
    use std::os::windows::fs::FileExt as _;

    pub(super) fn read(file: &File, bytes: &mut [u8], at: u64) -> io::Result<usize> {
        file.seek_read(bytes, at)
    }

    pub(super) fn write(file: &File, bytes: &[u8], at: u64) -> io::Result<usize> {
        file.seek_write(bytes, at)
    }
}

/// Returns the entries of a folder; none if the folder does not exist.
pub(crate) fn names(dir: &Path) -> Result<Vec<String>, Error> {
    let read = || -> io::Result<Vec<String>> {
        let entries = fs::read_dir(dir)?;
        entries.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned())).collect()
    };
    match read() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        names => names.map_err(|error| failed("reading", dir, error)),
    }
}

/// Returns whether there is a file or folder.
pub(crate) fn is_there(path: &Path) -> Result<bool, Error> {
    path.try_exists().map_err(|error| failed("reading", path, error))
}

/// Makes entries that were added to a folder, or removed from it, survive a power cut.
pub(crate) fn sync_folder(dir: &Path) -> Result<(), Error> {
    let synced = File::open(dir).and_then(|folder| folder.sync_all());
    synced.map_err(|error| failed("syncing", dir, error))
}
