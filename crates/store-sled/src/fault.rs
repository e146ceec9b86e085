//! What the reader says when it fails.
//!
//! This module knows the errors of sled and of the system, and what a person can do about them.

use std::io;
use std::path::Path;

use silcrow_store::{Error, ErrorKind};

use crate::record::SledFlaw;

/// Returns the error for what the system refused to do.
pub(crate) fn failed(doing: &str, path: &Path, error: io::Error) -> Error {
    let message = format!(
        "{doing} {} failed; check the disk and its permissions, then try again",
        path.display()
    );
    Error::new(ErrorKind::Io, message).with_source(error)
}

/// Returns the error for a folder that is something else.
pub(crate) fn not_a_store(dir: &Path, why: &str) -> Error {
    let message = format!("{} is no store of an earlier version: {why}", dir.display());
    Error::new(ErrorKind::Format, message)
}

/// Returns the error for a store that is open elsewhere.
pub(crate) fn locked(dir: &Path, holder: &str) -> Error {
    let message = format!("the store {} is in use by {holder}; wait until it ends", dir.display());
    Error::new(ErrorKind::Locked, message)
}

/// Returns the error for a store that has fewer changes than its mark says; `there` is `None` if
/// nobody knows how many there are.
pub(crate) fn cut_short(dir: &Path, there: Option<u64>, marked: u64) -> Error {
    let found = match there {
        Some(there) => format!("{there} of at least {marked} are there"),
        None => format!("their number is damaged, and there were at least {marked}"),
    };
    let message = format!(
        "the files of the store {} are damaged and its last changes are missing: {found}; put a \
         copy in its place, or remove {} to read what is left",
        dir.display(),
        dir.join("MARK").display()
    );
    Error::new(ErrorKind::Damaged, message)
}

/// Returns the error for a store that sled does not open.
pub(crate) fn unopened(dir: &Path, error: sled::Error) -> Error {
    let message = format!(
        "the files of the store {} are damaged and cannot be opened; put a copy in their place",
        dir.display()
    );
    of_sled(dir, error, message)
}

/// Returns the error for something that cannot be read.
pub(crate) fn flawed(dir: &Path, what: &str, flaw: SledFlaw) -> Error {
    let damaged = |why| format!("{what} in the store {} is damaged: {why}", dir.display());
    match flaw {
        SledFlaw::Damage(why) => Error::new(ErrorKind::Damaged, damaged(why)),
        SledFlaw::Sled(error) => of_sled(dir, error, damaged("its part of a file is damaged")),
    }
}

/// Returns the error for a panic of sled, which is no proof of damage.
pub(crate) fn stopped(dir: &Path, doing: &str) -> Error {
    let message = format!(
        "the database stopped while {doing} the store {} and did not say why: its files may be \
         damaged, or the system refused it something; try again, and if it stops again, put a copy \
         of the files in their place",
        dir.display()
    );
    Error::new(ErrorKind::Unavailable, message)
}

/// Returns the error for what sled reports. What it says about damage is for programmers.
fn of_sled(dir: &Path, error: sled::Error, damaged: String) -> Error {
    match error {
        sled::Error::Io(error) => {
            let dir = dir.display();
            let message =
                format!("the disk under the store {dir} failed; check it, then try again");
            Error::new(ErrorKind::Io, message).with_source(of_system(&error))
        }
        // One of its threads may have panicked.
        sled::Error::ReportableBug(_) | sled::Error::Unsupported(_) => stopped(dir, "reading"),
        _ => Error::new(ErrorKind::Damaged, damaged),
    }
}

/// Returns the error of the system that sled has made a text of.
fn of_system(error: &io::Error) -> io::Error {
    let text = error.to_string();
    let code = text.split_once("Os { code: ").and_then(|(_, rest)| rest.split(',').next());
    match code.and_then(|code| code.parse().ok()) {
        Some(code) => io::Error::from_raw_os_error(code),
        None => io::Error::new(error.kind(), text),
    }
}
