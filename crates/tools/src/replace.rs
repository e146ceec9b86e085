//! Atomic replacement of a file: its new text is written whole or not at all.
//!
//! The text goes to a temporary file beside the target, which is then renamed. All checks of the
//! target are repeated before that.

use std::ffi::{OsStr, OsString};
use std::io::{self, Write as _};
use std::path::PathBuf;
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};

use cap_std::fs::{File, Metadata, MetadataExt as _};
use rustix::fs::{
    Access, AtFlags, Gid, Mode, OFlags, RawMode, Uid, accessat, fchmod, fchown, mkdirat, openat,
};
use rustix::io::Errno;
use silcrow_exec::{CancellationToken, ToolError};

use crate::messages;
use crate::resolve::{OpenFolder, PathAccess, PathError, ResolvedPath};
use crate::root::Root;

/// A file to write, which was found without following a link at the end of its path.
pub(crate) struct WriteTarget<'a> {
    root: &'a Root,
    /// The path as the model wrote it.
    path: &'a str,
    place: ResolvedPath,
    name: OsString,
    old: Option<Metadata>,
}

impl<'a> WriteTarget<'a> {
    /// Finds the file that `path` names, which may be missing.
    pub(crate) fn find(root: &'a Root, path: &'a str) -> Result<Self, ToolError> {
        if matches!(path.rsplit('/').next(), Some("." | "..")) || path.ends_with('/') {
            let quoted = messages::quoted(path);
            return Err(ToolError::new(format!(
                "{quoted} names a folder; write the name of a file"
            )));
        }
        let failure = |error: PathError| root.failure(path, error);
        let place = root.find(path, PathAccess::Write).map_err(failure)?;
        let Some(name) = place.rest.last().cloned() else {
            return Err(failure(Errno::ISDIR.into()));
        };
        let old = match &place.rest[..] {
            [name] => place.trail.last().look(name).map_err(|error| failure(error.into()))?,
            _ => None,
        };
        let target = Self { root, path, place, name, old };
        target.check_old()?;
        Ok(target)
    }

    /// Returns the file's path from the root, without links, `.` and `..`.
    pub(crate) fn path(&self) -> PathBuf {
        self.place.path()
    }

    /// Returns the length in bytes of the file that is replaced, if there is one.
    pub(crate) fn old_len(&self) -> Option<u64> {
        self.old.as_ref().map(Metadata::len)
    }

    /// Writes the whole text or nothing.
    pub(crate) fn write(
        mut self,
        content: &str,
        cancel: &CancellationToken,
    ) -> Result<(), ToolError> {
        self.make_folders().map_err(|error| self.failure(error))?;
        let folder = self.place.trail.last().clone();
        let made = TemporaryFile::new(&folder, self.old.as_ref());
        let mut new = made.map_err(|error| self.failure(error))?;
        new.fill(content, cancel).map_err(|error| self.failure(error))?;
        if cancel.is_cancelled() {
            let quoted = messages::quoted(self.path);
            return Err(ToolError::new(format!("cancelled: {quoted} is as it was")));
        }
        // Meanwhile others may have put a link or a folder in the file's place, or moved a folder
        // above it.
        self.old = folder.look(&self.name).map_err(|error| self.failure(error))?;
        self.check_old()?;
        new.adopt(self.old.as_ref()).map_err(|error| match Errno::from_io_error(&error) {
            Some(Errno::PERM) => messages::protected(self.path, OWNED),
            _ => self.failure(error),
        })?;
        self.root.check(&self.place, PathAccess::Write).map_err(|error| self.failure(error))?;
        if !self.place.trail.is_current() {
            return Err(messages::changed_target(self.path));
        }
        new.rename(&self.name).map_err(|error| self.failure(error))
    }

    /// Returns an error unless the old file, if there is one, is a regular file that may be
    /// written.
    fn check_old(&self) -> Result<(), ToolError> {
        let Some(old) = &self.old else { return Ok(()) };
        if old.is_symlink() {
            return Err(self.link());
        }
        if !old.is_file() {
            return Err(messages::not_regular_file(self.path, old.file_type()));
        }
        // For root every file is writable, so the permission bits are checked, too.
        let folder = &self.place.trail.last().dir;
        let may = accessat(&**folder, &self.name, Access::WRITE_OK, AtFlags::EACCESS);
        match may {
            Ok(()) if old.mode() & 0o222 != 0 => Ok(()),
            Ok(()) | Err(Errno::ACCESS) => Err(messages::protected(self.path, READ_ONLY)),
            Err(error) => Err(self.failure(error)),
        }
    }

    /// Returns the error for a link, which says where it leads.
    fn link(&self) -> ToolError {
        let place = self.root.find(self.path, PathAccess::Read).and_then(|place| {
            self.root.check(&place, PathAccess::Write)?;
            Ok(place)
        });
        match place {
            Ok(place) => {
                let path = place.path();
                let to = match path.to_string_lossy() {
                    to if to.is_empty() => messages::quoted("."),
                    to => messages::quoted(&to),
                };
                let next = format!("write to {to} itself if that is meant");
                let why = format!("is a link to {to}, and links are not followed; {next}");
                messages::protected(self.path, &why)
            }
            Err(error) => self.failure(error),
        }
    }

    fn make_folders(&mut self) -> Result<(), PathError> {
        while self.place.rest.len() > 1 {
            // Other calls write meanwhile, and a new folder, too, can make another one a
            // repository.
            self.root.check(&self.place, PathAccess::Write)?;
            let name = self.place.rest.remove(0);
            let mode = Mode::RWXU | Mode::RWXG | Mode::RWXO;
            match mkdirat(&*self.place.trail.last().dir, &name, mode) {
                Ok(()) | Err(Errno::EXIST) => self.place.trail.enter(&name)?,
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    fn failure(&self, error: impl Into<PathError>) -> ToolError {
        self.root.failure(self.path, error)
    }
}

const READ_ONLY: &str = "is read-only and is not replaced; ask the person to make it writable";

const OWNED: &str = "belongs to another user or group, which it would lose; it is not replaced";

/// A file that is removed when it is dropped, unless it was renamed.
struct TemporaryFile<'a> {
    folder: &'a OpenFolder,
    name: String,
    file: File,
    /// The final permissions.
    mode: Mode,
    renamed: bool,
}

impl<'a> TemporaryFile<'a> {
    /// Creates a file that only this user can read, to replace `old` if there is one.
    fn new(folder: &'a OpenFolder, old: Option<&Metadata>) -> io::Result<Self> {
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
    fn fill(&mut self, content: &str, cancel: &CancellationToken) -> io::Result<()> {
        for part in content.as_bytes().chunks(MAX_WRITE) {
            if cancel.is_cancelled() {
                break;
            }
            self.file.write_all(part)?;
        }
        Ok(())
    }

    /// Sets the owner of the old file and the final permissions, and syncs the file to disk.
    fn adopt(&self, old: Option<&Metadata>) -> io::Result<()> {
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

    fn rename(&mut self, name: &OsStr) -> io::Result<()> {
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

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;
    use std::path::Path;

    use super::*;

    /// Finds a file, changes the folder meanwhile, and returns the error of the write.
    fn refused(before: &[&str], file: &str, meanwhile: impl FnOnce(&Path)) -> String {
        let folder = tempfile::tempdir().unwrap();
        for name in before {
            fs::create_dir_all(folder.path().join(name)).unwrap();
        }
        let root = Root::open(folder.path()).unwrap();
        let target = WriteTarget::find(&root, file).unwrap();
        meanwhile(folder.path());
        let why = target.write("new", &CancellationToken::new()).unwrap_err().to_string();
        let left = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name());
        let left: Vec<_> = left.collect();
        assert!(!left.iter().any(|name| name.to_string_lossy().ends_with(".tmp")), "{left:?}");
        assert!(!left.contains(&"refs".into()) || !left.contains(&"HEAD".into()), "{left:?}");
        why
    }

    #[test]
    fn what_took_the_place_of_a_file_since_it_was_found_is_not_replaced() {
        let why = refused(&[], "a", |folder| symlink("elsewhere", folder.join("a")).unwrap());
        assert!(why.contains("link"), "{why}");
        let why = refused(&[], "a", |folder| fs::create_dir(folder.join("a")).unwrap());
        assert!(why.contains("is a folder"), "{why}");
    }

    #[test]
    fn what_is_protected_since_it_was_found_is_not_written() {
        let make = |folder: &Path, name| fs::create_dir(folder.join(name)).unwrap();
        let why = refused(&["objects"], "HEAD", |folder| make(folder, "refs"));
        assert!(why.contains("belongs to git"), "{why}");
        // No folder is created for it either.
        let why = refused(&["objects"], "refs/heads/main", |folder| make(folder, "HEAD"));
        assert!(why.contains("belongs to git"), "{why}");
    }
}
