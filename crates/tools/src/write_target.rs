//! Atomic replacement of a file: its new content is written whole or not at all.
//!
//! The content goes to a temporary file beside the target, which is then renamed. The file is
//! synced before the rename, and its folder after it, so a reported change outlasts a power cut.
//! All checks of the target are repeated before the rename, and a journal records the file as it is
//! then.

use std::ffi::OsString;
use std::io::{self, Read as _};
use std::path::PathBuf;

use cap_std::fs::{File, Metadata};
use silcrow_tool::{CancellationToken, ToolError};

use crate::approved_risk::ApprovedRisk;
use crate::changes::{ChangeRecorder, ChangedFile, LockedRecorder, RecordedChange};
use crate::file_state::FileState;
use crate::known_files::KnownContent;
use crate::messages;
use crate::resolve::{PathAccess, PathError, ResolvedPath};
use crate::root::Root;
use crate::system::{self, Errno};
use crate::temporary::TemporaryFile;

/// A file to write, which was found without following a link at the end of its path.
pub(crate) struct WriteTarget<'a> {
    root: &'a Root,
    /// The path as the model wrote it.
    path: &'a str,
    place: ResolvedPath,
    name: OsString,
    old: Option<Metadata>,
    risk: Option<String>,
    approved: ApprovedRisk,
}

impl<'a> WriteTarget<'a> {
    /// Finds the file that `path` names, which may be missing.
    pub(crate) fn find(
        root: &'a Root,
        path: &'a str,
        approved: &ApprovedRisk,
    ) -> Result<Self, ToolError> {
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
        let risk = root.risk(&place, PathAccess::Write).map_err(failure)?;
        let approved = approved.clone();
        let target = Self { root, path, place, name, old, risk, approved };
        target.approved.check(path, target.risk())?;
        target.check_old()?;
        Ok(target)
    }

    /// Returns the file's path from the root, without links, `.` and `..`.
    pub(crate) fn path(&self) -> PathBuf {
        self.place.path()
    }

    /// Returns the risk of writing the file.
    pub(crate) fn risk(&self) -> Option<&str> {
        self.risk.as_deref()
    }

    /// Returns the risk of reading the file.
    pub(crate) fn risk_of_reading(&self) -> Result<Option<String>, ToolError> {
        self.root.risk(&self.place, PathAccess::Read).map_err(|error| self.failure(error))
    }

    /// Returns the file, of whose risk the caller has checked that it is approved.
    pub(crate) fn with_approved_risk(self) -> Self {
        Self { approved: ApprovedRisk::Only(self.risk.clone()), ..self }
    }

    /// Returns the error for a file that does not exist.
    pub(crate) fn missing(&self) -> ToolError {
        self.failure(Errno::NOENT)
    }

    /// Returns the length in bytes of the replaced file, or `None` for a new file.
    pub(crate) fn old_len(&self) -> Option<u64> {
        self.old.as_ref().map(Metadata::len)
    }

    /// Returns whether the file that is replaced has other names, which keep its content.
    pub(crate) fn has_other_names(&self) -> bool {
        self.old.as_ref().is_some_and(|old| system::file_links(old) > 1)
    }

    /// Returns the notices about the name of the file, and about its other names, once it is
    /// replaced.
    pub(crate) fn notices(&self) -> [Option<String>; 2] {
        let links = self.old.as_ref().map_or(1, system::file_links);
        [messages::lookalike(&self.place), messages::cut_links(links)]
    }

    /// Returns the permissions of the replaced file, or `None` for a new file.
    pub(crate) fn old_mode(&self) -> Option<u32> {
        self.old.as_ref().map(system::kept_mode)
    }

    /// Opens the replaced file, or returns `None` for a new file.
    pub(crate) fn open_old(&self) -> io::Result<Option<(File, Metadata)>> {
        match &self.old {
            Some(_) => self.place.trail.last().open(&self.name).map(Some),
            None => Ok(None),
        }
    }

    /// Returns the content of the file as it is, and its bytes unless they are many.
    pub(crate) fn read_old(&self) -> Result<(KnownContent, Option<Vec<u8>>), ToolError> {
        match self.open_old().map_err(|error| self.failure(error))? {
            None => Ok((KnownContent::MISSING, None)),
            Some((mut file, metadata)) => {
                KnownContent::read(&mut file, &metadata).map_err(|error| self.failure(error))
            }
        }
    }

    /// Writes the whole content or nothing, durably, and records the change. Fails if the file is not as
    /// `expected` right before that. The caller holds the root's lock of writes.
    pub(crate) fn write(
        self,
        content: &[u8],
        expected: &KnownContent,
        recorder: Option<&ChangeRecorder>,
        cancel: &CancellationToken,
    ) -> Result<(), ToolError> {
        self.replace(content, None, Some(expected), recorder, cancel)
    }

    /// Writes the whole content or nothing, durably. A new file gets the permissions `mode`.
    pub(crate) fn restore(self, content: &[u8], mode: Option<u32>) -> Result<(), ToolError> {
        self.replace(content, mode, None, None, &CancellationToken::new())
    }

    /// Removes the file, durably.
    pub(crate) fn remove(mut self) -> Result<(), ToolError> {
        self.check_again()?;
        let folder = self.place.trail.last();
        folder.dir.remove_file(&self.name).map_err(|error| self.failure(error))?;
        folder.sync().map_err(|error| messages::not_synced(self.path, &error))
    }

    fn replace(
        mut self,
        content: &[u8],
        mode: Option<u32>,
        expected: Option<&KnownContent>,
        recorder: Option<&ChangeRecorder>,
        cancel: &CancellationToken,
    ) -> Result<(), ToolError> {
        self.make_folders()?;
        let folder = self.place.trail.last().clone();
        let made = TemporaryFile::new(&folder, self.old.as_ref());
        let mut new = made.map_err(|error| self.failure(error))?;
        if let (None, Some(mode)) = (&self.old, mode) {
            new.set_mode(mode);
        }
        new.fill(content, cancel).map_err(|error| self.failure(error))?;
        // From here on no call of another process changes the file.
        let locked = recorder.map(|recorder| recorder.lock(cancel)).transpose();
        if cancel.is_cancelled() {
            let quoted = messages::quoted(self.path);
            return Err(ToolError::new(format!("cancelled: {quoted} is as it was")));
        }
        let locked = locked.map_err(|error| messages::not_recorded(self.path, &error))?;
        self.check_again()?;
        new.adopt(self.old.as_ref()).map_err(|error| match Errno::from_io_error(&error) {
            Some(Errno::PERM) => messages::protected(self.path, OWNED),
            _ => self.failure(error),
        })?;
        if let Some(expected) = expected
            && self.read_old()?.0 != *expected
        {
            return Err(messages::changed_meanwhile(self.path));
        }
        let recorded = locked.map(|locked| self.record(locked, content)).transpose();
        let recorded = recorded.map_err(|error| messages::not_recorded(self.path, &error))?;
        let renamed = new.rename(&self.name);
        let synced = if renamed.is_ok() { folder.sync() } else { Ok(()) };
        if let Some(recorded) = recorded {
            if renamed.is_ok() { recorded.complete() } else { recorded.withdraw() }
        }
        renamed.map_err(|error| self.failure(error))?;
        synced.map_err(|error| messages::not_synced(self.path, &error))
    }

    /// Repeats the checks, because others may have put a link or a folder in the file's place
    /// meanwhile, or moved a folder above it.
    fn check_again(&mut self) -> Result<(), ToolError> {
        let found = self.place.trail.last().look(&self.name);
        self.old = found.map_err(|error| self.failure(error))?;
        self.check_old()?;
        self.check_risk()?;
        match self.place.trail.is_current() {
            true => Ok(()),
            false => Err(messages::changed_target(self.path)),
        }
    }

    /// Returns an error if the place has a risk now that was not approved.
    fn check_risk(&self) -> Result<(), ToolError> {
        let risk = self.root.risk(&self.place, PathAccess::Write);
        self.approved.check(self.path, risk.map_err(|error| self.failure(error))?.as_deref())
    }

    /// Records the file as it is, and its content if that is not too long.
    fn record<'r>(
        &self,
        locked: LockedRecorder<'r>,
        content: &[u8],
    ) -> io::Result<RecordedChange<'r>> {
        let max = locked.max_kept();
        let mut old = Vec::new();
        let (before, mode) = match self.open_old() {
            Ok(None) => (FileState::Missing, None),
            Ok(Some((file, metadata))) => {
                file.take(max + 1).read_to_end(&mut old)?;
                let is_short = old.len() as u64 <= max;
                let state =
                    if is_short { FileState::from_content(&old) } else { FileState::Unread };
                (state, Some(system::kept_mode(&metadata)))
            }
            // It may be replaced nevertheless.
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                (FileState::Unread, None)
            }
            Err(error) => return Err(error),
        };
        // A path that is not UTF-8 cannot be found again by its record.
        let path = self.path();
        let is_kept = matches!(before, FileState::Sha256(_)) && path.to_str().is_some();
        let path = path.to_string_lossy().into_owned();
        let file = ChangedFile {
            mode,
            kept: is_kept.then_some(old.len() as u64),
            ..ChangedFile::new(path, before, FileState::from_content(content))
        };
        locked.record(self.root, vec![(file, old)])
    }

    /// Returns an error if the file that is replaced is not a regular one, or may not be written.
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
        let may = system::may_write(folder, &self.name);
        match may {
            Ok(()) if system::file_mode(old) & 0o222 != 0 => Ok(()),
            Ok(()) | Err(Errno::ACCESS) => Err(messages::protected(self.path, READ_ONLY)),
            Err(error) => Err(self.failure(error)),
        }
    }

    /// Returns the error for a link, which names its target.
    fn link(&self) -> ToolError {
        let place = self.root.find(self.path, PathAccess::Read);
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

    fn make_folders(&mut self) -> Result<(), ToolError> {
        while self.place.rest.len() > 1 {
            // Other calls write meanwhile, and a new folder, too, can make another one a
            // repository.
            self.check_risk()?;
            let name = self.place.rest.remove(0);
            let above = self.place.trail.last().clone();
            match system::make_folder(&above.dir, &name, 0o777) {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
                // Another process that has just made it may not have synced it yet.
                _ => above.sync().and_then(|()| self.place.trail.enter(&name)),
            }
            .map_err(|error| self.failure(error))?;
        }
        Ok(())
    }

    fn failure(&self, error: impl Into<PathError>) -> ToolError {
        self.root.failure(self.path, error)
    }
}

const READ_ONLY: &str = "is read-only and is not replaced; ask the person to make it writable";

const OWNED: &str = "belongs to another user or group, which it would lose; it is not replaced";

#[cfg(test)]
mod tests;
