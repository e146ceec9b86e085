//! The file of the program that a server's command names.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use silcrow_system::SystemMetadata as _;

use crate::config::ServerCommand;
use crate::environment::{PATH, passed_on};

/// Returns the file of a server's program: the path that its first word is, or the first file of this
/// name in the folders of the `PATH` that the program gets.
pub(crate) fn found_program(server: &ServerCommand) -> io::Result<PathBuf> {
    let word = server.words.first().filter(|word| !word.is_empty());
    let word = Path::new(word.ok_or(io::ErrorKind::InvalidInput)?);
    if word.is_absolute() {
        return Ok(word.to_owned());
    }
    if word.components().count() > 1 || word.to_string_lossy().contains('/') {
        return match (&server.folder, &server.empty_folders) {
            (Some(folder), _) => Ok(folder.join(word)),
            (None, Some(_)) => Err(io::Error::new(
                io::ErrorKind::NotFound,
                "it is looked for in the empty folder in which a server starts; name it with its \
                 whole path",
            )),
            (None, None) => Ok(word.to_owned()),
        };
    }
    let declared = server.variables.iter().rev().find(|(name, _)| name == PATH);
    let path = match declared {
        Some((_, value)) => OsString::from(value),
        None => passed_on().find(|(name, _)| *name == PATH).unwrap_or_default().1,
    };
    let folders = env::split_paths(&path).filter(|folder| folder.is_absolute());
    let found = folders.map(|folder| folder.join(word)).find(|file| is_program(file));
    found.ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, "program not found in PATH"))
}

fn is_program(file: &Path) -> bool {
    fs::metadata(file).is_ok_and(|found| found.is_program())
}
