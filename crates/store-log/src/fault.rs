//! The store's messages when it refuses something or fails.

use std::io;
use std::path::Path;

use silcrow_store::{Error, ErrorKind};

/// Returns the error for an operation that the system refused.
pub(crate) fn failed(doing: &str, path: &Path, error: io::Error) -> Error {
    let next = match is_too_many_files(&error) {
        true => "this process may not open more files; raise the limit with `ulimit -n`",
        false => "check the disk and its permissions",
    };
    let message = format!("{doing} {} failed; {next}, then try again", path.display());
    Error::new(ErrorKind::Io, message).with_source(error)
}

#[cfg(unix)]
fn is_too_many_files(error: &io::Error) -> bool {
    let errors = [rustix::io::Errno::MFILE, rustix::io::Errno::NFILE];
    rustix::io::Errno::from_io_error(error).is_some_and(|error| errors.contains(&error))
}

#[cfg(not(unix))]
fn is_too_many_files(_: &io::Error) -> bool {
    false
}

/// Returns the error for an operation that the system refused for lack of this many bytes.
pub(crate) fn no_room(doing: &str, path: &Path, bytes: u64, error: io::Error) -> Error {
    if !is_full(&error) {
        return failed(doing, path, error);
    }
    let free = match free(path) {
        Some(free) => format!(", and {free} are free"),
        None => String::new(),
    };
    let message = format!(
        "{doing} {} failed: the disk is full: {bytes} bytes more are needed{free}; remove something \
         else from it, then try again",
        path.display()
    );
    Error::new(ErrorKind::Io, message).with_source(error)
}

/// Returns whether an error of a store is that its disk is full.
pub(crate) fn is_no_room(error: &Error) -> bool {
    let source = std::error::Error::source(error);
    source.and_then(|source| source.downcast_ref::<io::Error>()).is_some_and(is_full)
}

fn is_full(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
}

/// Returns the number of free bytes on the disk of a file, if the system reports it.
#[cfg(unix)]
fn free(path: &Path) -> Option<u64> {
    let there = path.ancestors().find_map(|above| rustix::fs::statvfs(above).ok())?;
    Some(there.f_bavail.saturating_mul(there.f_frsize))
}

#[cfg(not(unix))]
fn free(_: &Path) -> Option<u64> {
    None
}

/// Checks that an event or a value is not too long.
pub(crate) fn limit(what: &str, size: usize) -> Result<(), Error> {
    if size <= MAX_CONTENT {
        return Ok(());
    }
    let limit = MAX_CONTENT >> 20;
    let message =
        format!("the {what} is longer than {limit} MiB; keep it in a file beside the store");
    Err(Error::new(ErrorKind::Refused, message))
}

/// Checks that a batch is not too long.
pub(crate) fn limit_batch(size: usize) -> Result<(), Error> {
    if size <= MAX_BATCH {
        return Ok(());
    }
    let limit = MAX_BATCH >> 20;
    let message =
        format!("the events together are longer than {limit} MiB; append fewer at a time");
    Err(Error::new(ErrorKind::Refused, message))
}

/// Returns the error for data that is not as it was written.
pub(crate) fn damaged(what: &str) -> Error {
    let message = format!(
        "{what} is damaged, and the rest can be read; `silcrow log verify` names all damage"
    );
    Error::new(ErrorKind::Damaged, message)
}

/// Returns the error for a log whose last segment has the maximum number.
pub(crate) fn no_number(folder: &Path) -> Error {
    let message = format!(
        "the log in {} has no number for another segment; somebody has put a file there whose name \
         begins with {}; move it and the store's file MARK away, then try again",
        folder.display(),
        u32::MAX
    );
    Error::new(ErrorKind::Io, message)
}

/// Returns the error for a store whose folder is gone.
pub(crate) fn removed(dir: &Path) -> Error {
    let message = format!(
        "the folder of the store was removed or replaced while it was in use: {}; what was \
         acknowledged went with it; begin another run",
        dir.display()
    );
    Error::new(ErrorKind::Io, message)
}

/// Returns the error for a thread of the store that has ended.
pub(crate) fn ended(dir: &Path) -> Error {
    let message = format!("a thread of the store {} has ended; open it again", dir.display());
    Error::new(ErrorKind::Unavailable, message)
}

/// The maximum length of an event or a value, in bytes.
const MAX_CONTENT: usize = 64 << 20;

/// The maximum length of the events of a batch, in bytes. Offsets in a segment have 32 bits.
const MAX_BATCH: usize = 1 << 30;

/// Returns the error of a system without more threads.
pub(crate) fn no_thread(dir: &Path, error: io::Error) -> Error {
    let message = format!(
        "the system has no thread for the store {}; end some other program, or raise the limit with \
         `ulimit -u`, then try again",
        dir.display()
    );
    Error::new(ErrorKind::Unavailable, message).with_source(error)
}
