//! A temporary file beside its target, which gets the target's name or is removed.
//!
//! This module knows owners and permissions. It does not check the target.

use std::ffi::OsStr;
use std::io::{self, Write as _};
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};

use cap_std::fs::{File, Metadata, MetadataExt as _};
use rustix::fs::{Gid, Mode, OFlags, RawMode, Uid, fchmod, fchown, openat};
use rustix::io::Errno;
use silcrow_tool::CancellationToken;

use crate::open_folder::OpenFolder;

/// A file that is removed when it is dropped, unless it was renamed.
pub(crate) struct TemporaryFile<'a> {
    folder: &'a OpenFolder,
    name: String,
    file: File,
    /// The final permissions.
    mode: Mode,
    renamed: bool,
}

impl<'a> TemporaryFile<'a> {
    /// Creates a file that only this user can read, which replaces `old` or, for `None`, is new.
    pub(crate) fn new(folder: &'a OpenFolder, old: Option<&Metadata>) -> io::Result<Self> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        const TRIES: usize = 100;
        // Without an old file the system's umask decides, which shows only when a file is created.
        let own = Mode::RUSR | Mode::WUSR;
        let first = if old.is_some() { own } else { own | Mode::from_raw_mode(0o066) };
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
        let mut taken = Errno::EXIST;
        for _ in 0..TRIES {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let name = format!(".silcrow-{}-{number}.tmp", process::id());
            // `EXCL` makes sure that the file is new.
            match openat(&*folder.dir, &name, flags, first) {
                Ok(fd) => {
                    let file = File::from_std(fd.into());
                    let mut new = Self { folder, name, file, mode: first, renamed: false };
                    let mode = old.map_or(new.file.metadata()?.mode(), Metadata::mode) & 0o777;
                    new.mode = Mode::from_raw_mode(mode as RawMode);
                    fchmod(&new.file, own)?;
                    return Ok(new);
                }
                Err(Errno::EXIST) => taken = Errno::EXIST,
                Err(error) => return Err(error.into()),
            }
        }
        Err(taken.into())
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
            let own = self.file.metadata()?;
            let user = (own.uid() != old.uid()).then(|| Uid::from_raw(old.uid()));
            let group = (own.gid() != old.gid()).then(|| Gid::from_raw(old.gid()));
            if user.is_some() || group.is_some() {
                fchown(&self.file, user, group)?;
            }
        }
        fchmod(&self.file, self.mode)?;
        self.file.sync_all()
    }

    /// Sets the permissions that the file will have, without the bits beyond those of user, group
    /// and others.
    pub(crate) fn set_mode(&mut self, mode: u32) {
        self.mode = Mode::from_raw_mode((mode & 0o777) as RawMode);
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

/// The number of bytes that are written between two checks for cancellation.
const MAX_WRITE: usize = 64 * 1024;
