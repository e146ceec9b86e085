//! What a store says when it refuses or fails.

use std::io;
use std::path::Path;

use silcrow_store::{Error, ErrorKind};

use crate::mark;

pub(crate) fn limit(what: &str, size: usize) -> Result<(), Error> {
    if size <= MAX_CONTENT {
        return Ok(());
    }
    let limit = MAX_CONTENT >> 20;
    let message =
        format!("the {what} is longer than {limit} MiB; keep it in a file beside the store");
    Err(Error::new(ErrorKind::Refused, message))
}

pub(crate) fn cut_short(dir: &Path, there: u64, groups: u64) -> Error {
    let message = format!(
        "the files of the store {} are damaged: the last of its changes are missing, {there} of at \
         least {groups} are there; put a copy in its place, or remove {} to go on with what is left",
        dir.display(),
        dir.join(mark::NAME).display()
    );
    Error::new(ErrorKind::Damaged, message)
}

/// What the system said, where sled has made a text of its error that is for programmers.
pub(crate) fn words(error: &io::Error) -> String {
    let text = error.to_string();
    let code = text.split_once("Os { code: ").and_then(|(_, rest)| rest.split(',').next());
    match code.and_then(|code| code.parse().ok()) {
        Some(code) => io::Error::from_raw_os_error(code).to_string(),
        None => text,
    }
}

pub(crate) fn closed(dir: &Path) -> Error {
    Error::new(ErrorKind::Io, format!("the store {} is closed; open it again", dir.display()))
}

/// The thread that worked for us was not let finish.
pub(crate) fn gone(error: tokio::task::JoinError) -> Error {
    Error::new(ErrorKind::Io, "the runtime ended while the store worked; open it again")
        .with_source(error)
}

/// Of one event or value, in bytes.
const MAX_CONTENT: usize = 64 << 20;
