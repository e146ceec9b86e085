//! The contents that a snapshot keeps, by their hashes.
//!
//! A content is copied by sharing its blocks if the file system can, and otherwise byte for byte.
//! This module stores contents, without trees.

use std::collections::HashSet;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use silcrow_system::{SystemFolder as _, SystemOpen as _};

use crate::file_state::FileState;
use crate::system::{self, SharedBlocks};

/// A folder of contents. The caller has locked it.
#[derive(Debug)]
pub(crate) struct ContentStore {
    folder: PathBuf,
    /// Whether the file system may share blocks.
    shares: AtomicBool,
}

impl ContentStore {
    pub(crate) fn new(folder: PathBuf) -> Self {
        Self { folder, shares: AtomicBool::new(true) }
    }

    /// Keeps a file of at most `most` bytes, and returns its hash; `None` if it is longer.
    pub(crate) fn keep(
        &self,
        file: &mut (impl io::Read + SharedBlocks),
        most: u64,
    ) -> io::Result<Option<FileState>> {
        let mut content = Vec::new();
        (&mut *file).take(most + 1).read_to_end(&mut content)?;
        if content.len() as u64 > most {
            return Ok(None);
        }
        let state = FileState::from_content(&content);
        let Some(path) = self.path(&state) else { return Ok(None) };
        if fs::symlink_metadata(&path).is_ok_and(|old| old.len() == content.len() as u64) {
            return Ok(Some(state));
        }
        let new = self.folder.join(NEW);
        let mut out = self.create(&new)?;
        if !self.share(&out, file, &content) || FileState::read(&mut out)? != state {
            out.set_len(0)?;
            out.rewind()?;
            out.write_all(&content)?;
        }
        if let Some(folder) = path.parent() {
            DirBuilder::new().recursive(true).private().create(folder)?;
        }
        fs::rename(new, path)?;
        Ok(Some(state))
    }

    /// Returns a kept content. One that is not as it was kept is an error.
    pub(crate) fn content(&self, state: &FileState) -> io::Result<Vec<u8>> {
        let missing = || io::Error::from(io::ErrorKind::NotFound);
        let content = fs::read(self.path(state).ok_or_else(missing)?)?;
        match FileState::from_content(&content) == *state {
            true => Ok(content),
            false => Err(io::Error::other("a kept content is damaged")),
        }
    }

    /// Removes the contents that are not among those to keep.
    pub(crate) fn remove_others(&self, kept: &HashSet<&str>) -> io::Result<()> {
        for folder in entries(&self.folder)? {
            let first = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
            for file in entries(&folder)? {
                let rest = file.file_name().unwrap_or_default().to_string_lossy();
                if !kept.contains(&*format!("{first}{rest}")) {
                    fs::remove_file(&file)?;
                }
            }
        }
        Ok(())
    }

    fn path(&self, state: &FileState) -> Option<PathBuf> {
        let FileState::Sha256(hash) = state else { return None };
        let (first, rest) = hash.split_at_checked(2)?;
        Some(self.folder.join(first).join(rest))
    }

    fn create(&self, path: &Path) -> io::Result<File> {
        DirBuilder::new().recursive(true).private().create(&self.folder)?;
        match fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        OpenOptions::new().read(true).write(true).create_new(true).private().open(path)
    }

    /// Shares the blocks of a file, which may have changed since it was read.
    fn share(&self, out: &File, from: &impl SharedBlocks, content: &[u8]) -> bool {
        if content.len() < SMALL || !self.shares.load(Ordering::Relaxed) {
            return false;
        }
        let is_shared = system::share_blocks(out, from).is_ok();
        if !is_shared {
            self.shares.store(false, Ordering::Relaxed);
        }
        is_shared
    }
}

/// Returns the paths in a folder, which may be missing. A file has none.
fn entries(folder: &Path) -> io::Result<Vec<PathBuf>> {
    match fs::read_dir(folder) {
        Ok(entries) => entries.map(|entry| Ok(entry?.path())).collect(),
        Err(error)
            if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) =>
        {
            Ok(Vec::new())
        }
        Err(error) => Err(error),
    }
}

/// The file that becomes a content.
const NEW: &str = "NEW";

/// The length below which sharing blocks saves nothing.
const SMALL: usize = 4096;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contents_are_kept_once_and_removed() {
        let place = tempfile::tempdir().unwrap();
        let store = ContentStore::new(place.path().join("contents"));
        let keep = |content: &[u8]| {
            let path = place.path().join("file");
            fs::write(&path, content).unwrap();
            store.keep(&mut File::open(path).unwrap(), 100_000).unwrap()
        };
        let long = vec![7; 100_000];
        let (one, two) = (keep(b"one").unwrap(), keep(&long).unwrap());
        assert_eq!(keep(b"one").as_ref(), Some(&one));
        assert_eq!(keep(&[7; 100_001]), None);
        assert_eq!(store.content(&one).unwrap(), b"one");
        assert_eq!(store.content(&two).unwrap(), long);

        let FileState::Sha256(hash) = &two else { panic!() };
        store.remove_others(&HashSet::from([&**hash])).unwrap();
        assert!(store.content(&one).is_err());
        assert_eq!(store.content(&two).unwrap(), long);
        fs::write(store.path(&two).unwrap(), "damaged").unwrap();
        assert!(store.content(&two).is_err());
    }
}
