//! The start of servers' programs: in empty folders of the person's state, with a `PATH` without
//! folders of the root.
//!
//! A model may have written the files in the root, so a mere name never finds a program there.

use std::env;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use crate::folders::state_folder;
use crate::owned;
use silcrow_environment::Environment;

/// Returns the folder that has an empty folder for each start of a server. It may not exist yet.
pub fn start_folders() -> Option<PathBuf> {
    Some(state_folder(&Environment::process())?.join("silcrow-servers"))
}

/// Returns the same folder, and makes it if there is none.
///
/// # Errors
///
/// Returns the reason why it cannot be used, or the error that there is no home folder.
pub fn made_start_folders() -> Result<PathBuf, String> {
    let folder = start_folders().ok_or("no home folder to start the server in")?;
    owned::make_folder(&folder).map_err(|error| {
        format!("the folder {} that it starts in cannot be used: {error}", folder.display())
    })?;
    Ok(folder)
}

/// Returns the entries of `PATH` that are not in the root.
pub(crate) fn path_outside(root: &Path) -> OsString {
    let entries = entries().filter(|entry| !is_in(entry, root));
    // It fails only for an entry with a colon, and none has one.
    env::join_paths(entries).unwrap_or_default()
}

/// Returns the file of a program that is found only in entries of `PATH` in the root.
pub(crate) fn only_in_root(program: &str, root: &Path) -> Option<PathBuf> {
    if program.contains('/') {
        return None;
    }
    let file = |entry: PathBuf| Some(entry.join(program)).filter(|file| file.is_file());
    let inside = entries().filter(|entry| is_in(entry, root)).find_map(file)?;
    let outside = entries().filter(|entry| !is_in(entry, root)).find_map(file);
    outside.is_none().then_some(inside)
}

fn entries() -> impl Iterator<Item = PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let entries: Vec<_> = env::split_paths(OsStr::new(&path)).collect();
    entries.into_iter().filter(|entry| entry.is_absolute())
}

fn is_in(entry: &Path, root: &Path) -> bool {
    entry.starts_with(root) || entry.canonicalize().is_ok_and(|entry| entry.starts_with(root))
}
