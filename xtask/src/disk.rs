//! Files and folders, with errors that say which one could not be read or written.

use std::fmt::Display;
use std::fs;
use std::path::{Path, PathBuf};

/// Returns the bytes of a file.
pub fn read(file: &Path) -> Result<Vec<u8>, String> {
    fs::read(file).map_err(|why| at(file, &why))
}

/// Returns the text of a file.
pub fn read_text(file: &Path) -> Result<String, String> {
    fs::read_to_string(file).map_err(|why| at(file, &why))
}

/// Writes a file, and the folders that it needs.
pub fn write(file: &Path, bytes: impl AsRef<[u8]>) -> Result<(), String> {
    make_folder(file.parent().unwrap_or(file))?;
    fs::write(file, bytes).map_err(|why| at(file, &why))
}

/// Copies a file.
pub fn copy(from: &Path, to: &Path) -> Result<(), String> {
    fs::copy(from, to).map(drop).map_err(|why| at(from, &why))
}

/// Makes a folder, and those that it is in.
pub fn make_folder(folder: &Path) -> Result<(), String> {
    fs::create_dir_all(folder).map_err(|why| at(folder, &why))
}

/// Makes a folder with nothing in it.
pub fn make_empty(folder: PathBuf) -> Result<PathBuf, String> {
    let _ = fs::remove_dir_all(&folder);
    make_folder(&folder).map(|()| folder)
}

/// Returns the paths in a folder, in the order of their names.
pub fn entries(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = fs::read_dir(folder).map_err(|why| at(folder, &why))?;
    let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    Ok(paths)
}

/// Returns the files in a folder with their names, in the order of these.
pub fn files(folder: &Path) -> Result<Vec<(String, PathBuf)>, String> {
    let files = entries(folder)?.into_iter().filter(|path| path.is_file());
    Ok(files.map(|path| (name(&path), path)).collect())
}

/// Returns the files below a folder whose names end like this, in order. The list is empty if the
/// folder does not exist; build folders of other workspaces are left out.
pub fn walk(folder: &Path, ending: &str) -> Result<Vec<PathBuf>, String> {
    let mut found = Vec::new();
    let mut open = if folder.exists() { entries(folder)? } else { Vec::new() };
    while let Some(path) = open.pop() {
        if path.is_dir() {
            if !path.ends_with("target") {
                open.extend(entries(&path)?);
            }
        } else if path.extension().is_some_and(|extension| extension == ending) {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// Returns the last part of a path.
pub fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Returns an error with the path.
pub fn at(path: &Path, why: &dyn Display) -> String {
    format!("{}: {why}", path.display())
}
