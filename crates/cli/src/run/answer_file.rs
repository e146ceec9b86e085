//! The file that an answer is written to.

use std::fs;
use std::io::{self, Write as _};
use std::path::Path;

use crate::failure::Failure;

/// Writes an answer with a line end, at once: a reader of the file sees the old text or all of the
/// new one.
pub(super) fn write_answer(file: &Path, answer: &str) -> Result<(), Failure> {
    replace(file, answer).map_err(|error| {
        Failure::running(format!("cannot write the answer to {}: {error}", file.display()))
    })
}

fn replace(file: &Path, answer: &str) -> io::Result<()> {
    // A pipe or a device, such as /dev/stderr, takes the text as it is.
    if file.metadata().is_ok_and(|found| !found.is_file()) {
        let mut open = fs::OpenOptions::new().write(true).open(file)?;
        return writeln!(open, "{answer}");
    }
    let name = file.file_name().ok_or(io::ErrorKind::InvalidInput)?.to_string_lossy();
    let beside = file.with_file_name(format!(".{name}.{}", std::process::id()));
    let mut open = fs::OpenOptions::new().write(true).create_new(true).open(&beside)?;
    let written = writeln!(open, "{answer}").and_then(|()| open.sync_all());
    let done = written.and_then(|()| fs::rename(&beside, file));
    if done.is_err() {
        // The error describes the failure.
        let _ = fs::remove_file(&beside);
    }
    done
}
