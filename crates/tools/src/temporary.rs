//! A temporary file beside its target, which gets the target's name or is removed.
//!
//! This module handles owners and permissions. It does not check the target.

use std::ffi::OsStr;
use std::io::{self, Write as _};
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};

use cap_std::fs::{File, Metadata};
use silcrow_tool::CancellationToken;

use crate::open_folder::OpenFolder;
use crate::system;

/// A file that is removed when it is dropped, unless it was renamed.
pub(crate) struct TemporaryFile<'a> {
    folder: &'a OpenFolder,
    name: String,
    file: File,
    /// The final permissions.
    mode: u32,
    renamed: bool,
}

impl<'a> TemporaryFile<'a> {
    /// Creates a file that only this user can read, which replaces `old` or, for `None`, is new.
    pub(crate) fn new(folder: &'a OpenFolder, old: Option<&Metadata>) -> io::Result<Self> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        const TRIES: usize = 100;
        // Without an old file the system's umask decides, which shows only when a file is created.
        let first = if old.is_some() { OWN } else { 0o666 };
        let mut taken = io::Error::from(io::ErrorKind::AlreadyExists);
        for _ in 0..TRIES {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let name = format!(".silcrow-{}-{number}.tmp", process::id());
            match system::create_new(&folder.dir, name.as_ref(), first) {
                Ok(file) => {
                    let mut new = Self { folder, name, file, mode: first, renamed: false };
                    let made = system::kept_mode(&new.file.metadata()?);
                    new.mode = old.map_or(made, system::kept_mode);
                    system::set_mode(&new.file, OWN)?;
                    return Ok(new);
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => taken = error,
                Err(error) => return Err(error),
            }
        }
        Err(taken)
    }

    /// Writes the text, or only a part of it if the call is cancelled meanwhile.
    pub(crate) fn fill(&mut self, content: &[u8], cancel: &CancellationToken) -> io::Result<()> {
        for part in content.chunks(MAX_WRITE) {
            if cancel.is_cancelled() {
                break;
            }
            self.file.write_all(part)?;
        }
        Ok(())
    }

    /// Sets the owner of the old file and the final permissions, and syncs the file to disk.
    pub(crate) fn adopt(&self, old: Option<&Metadata>) -> io::Result<()> {
        if let Some(old) = old {
            system::adopt_owner(&self.file, old)?;
        }
        system::set_mode(&self.file, self.mode)?;
        self.file.sync_all()
    }

    /// Sets the permissions that the file will have. The setuid and setgid bits are left out.
    pub(crate) fn set_mode(&mut self, mode: u32) {
        self.mode = system::without_set_id(mode);
    }

    pub(crate) fn rename(&mut self, name: &OsStr) -> io::Result<()> {
        self.folder.dir.rename(&self.name, &self.folder.dir, name)?;
        self.renamed = true;
        Ok(())
    }
}

impl Drop for TemporaryFile<'_> {
    fn drop(&mut self) {
        if !self.renamed {
            // If this fails too, a stray file stays, as the docs of `FileWrite` say.
            let _ = self.folder.dir.remove_file(&self.name);
        }
    }
}

/// The permissions of a file that only its owner uses.
const OWN: u32 = 0o600;

/// The number of bytes that are written between two checks for cancellation.
const MAX_WRITE: usize = 64 * 1024;
