//! The files of a root, as an undo reads and restores them.
//!
//! Paths are resolved as in the file tools, so files outside the root and private files are not
//! touched. A person asks for an undo, so no other risk needs an approval.

use std::io::{self, Read as _};
use std::path::Path;

use crate::approved_risk::ApprovedRisk;
use crate::file_state::FileState;
use crate::messages;
use crate::root::Root;
use crate::system;
use crate::write_target::WriteTarget;

/// A file as it is.
pub(crate) struct CurrentFile {
    pub(crate) state: FileState,
    pub(crate) length: u64,
    /// Its permissions.
    pub(crate) mode: Option<u32>,
}

/// Returns a file as it is. A fault of its path, or in its place, is an error that says so.
pub(crate) fn look(root: &Root, path: &str) -> io::Result<CurrentFile> {
    let Some((mut file, metadata)) = find(root, path)?.open_old()? else {
        return Ok(CurrentFile { state: FileState::Missing, length: 0, mode: None });
    };
    let state = FileState::read(&mut file)?;
    Ok(CurrentFile { state, length: metadata.len(), mode: Some(system::kept_mode(&metadata)) })
}

/// Returns the content of a file, which is empty for a file that does not exist.
pub(crate) fn content(root: &Root, path: &str) -> io::Result<Vec<u8>> {
    let mut content = Vec::new();
    if let Some((mut file, _)) = find(root, path)?.open_old()? {
        file.read_to_end(&mut content)?;
    }
    Ok(content)
}

/// Replaces the content of a file, or removes the file.
pub(crate) fn restore(
    root: &Root,
    path: &str,
    content: Option<&[u8]>,
    mode: Option<u32>,
) -> io::Result<()> {
    let _writing = root.lock_writes();
    let target = find(root, path)?;
    let restored = match content {
        Some(content) => target.restore(content, mode),
        None => target.remove(),
    };
    restored.map_err(io::Error::other)
}

/// Finds a file by the path of a record, which has no links.
fn find<'a>(root: &'a Root, path: &'a str) -> io::Result<WriteTarget<'a>> {
    let target = WriteTarget::find(root, path, &ApprovedRisk::Any).map_err(io::Error::other)?;
    match target.path() == Path::new(path) {
        true => Ok(target),
        false => Err(io::Error::other(messages::changed_target(path))),
    }
}
