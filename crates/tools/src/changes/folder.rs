//! The folder of a journal, while it is locked.
//!
//! A record is a file `NUMBER-STATE-CONVERSATION`. It is `begun` before its files change and `done`
//! after that, so a record that is still begun when the folder is locked was left by a crash.
//! Numbers grow with time. This module touches only the files of the journal.

use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, BufReader, BufWriter, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, UNIX_EPOCH};

use silcrow_system::{SystemFolder as _, SystemOpen as _};

use super::record::ChangeRecord;
use crate::by_conversation::file_name;
use crate::file_state::FileState;

/// The locked folder of a journal: no other process reads or writes it, and none changes files that
/// it records.
#[derive(Debug)]
pub(crate) struct LockedFolder {
    path: PathBuf,
    /// The lock ends when this is closed.
    _lock: File,
}

/// The name of a record's file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct RecordName {
    pub(crate) number: u64,
    pub(crate) is_done: bool,
    /// The conversation's id as the name of a file.
    pub(crate) conversation: String,
}

impl RecordName {
    fn parse(name: &str) -> Option<Self> {
        let mut parts = name.splitn(3, '-');
        let number = u64::from_str_radix(parts.next()?, 16).ok()?;
        let is_done = match parts.next()? {
            DONE => true,
            BEGUN => false,
            _ => return None,
        };
        Some(Self { number, is_done, conversation: parts.next()?.to_owned() })
    }

    pub(crate) fn file(&self) -> String {
        let state = if self.is_done { DONE } else { BEGUN };
        format!("{:016x}-{state}-{}", self.number, self.conversation)
    }
}

impl LockedFolder {
    /// Creates the folder unless it exists, and locks it.
    pub(crate) fn create(path: &Path, wait: impl Fn() -> bool) -> io::Result<Self> {
        make(path)?;
        Self::lock(path, wait)
    }

    /// Locks the folder, or returns `None` if it does not exist.
    pub(crate) fn open(path: &Path, wait: impl Fn() -> bool) -> io::Result<Option<Self>> {
        match fs::symlink_metadata(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            _ => Self::lock(path, wait).map(Some),
        }
    }

    fn lock(path: &Path, wait: impl Fn() -> bool) -> io::Result<Self> {
        if !fs::symlink_metadata(path)?.is_dir() {
            return Err(io::Error::other("the place of the journal of changes is not a folder"));
        }
        let mut options = File::options();
        options.write(true).create(true).truncate(false);
        let lock = own(&mut options).open(path.join(LOCK))?;
        for _ in 0..MAX_TRIES {
            match lock.try_lock() {
                Ok(()) => return Ok(Self { path: path.to_owned(), _lock: lock }),
                Err(TryLockError::WouldBlock) if wait() => sleep(BETWEEN_TRIES),
                Err(TryLockError::WouldBlock) => return Err(io::ErrorKind::Interrupted.into()),
                Err(TryLockError::Error(error)) => return Err(error),
            }
        }
        // The model may read this, so it names no path of the host.
        Err(io::Error::other("another process has locked the journal of changes for ten seconds"))
    }

    /// Returns the names of all records, the oldest first.
    pub(crate) fn names(&self) -> io::Result<Vec<RecordName>> {
        let mut names = Vec::new();
        for entry in fs::read_dir(&self.path)? {
            names.extend(entry?.file_name().to_str().and_then(RecordName::parse));
        }
        names.sort_unstable();
        Ok(names)
    }

    /// Returns the path of a record.
    pub(crate) fn path(&self, name: &RecordName) -> PathBuf {
        self.path.join(name.file())
    }

    pub(crate) fn read(&self, name: &RecordName) -> io::Result<ChangeRecord> {
        ChangeRecord::read(&mut self.reader(name)?)
    }

    /// Returns the content of a file before the change, if it is kept. `record` was read from the file. One that is not as it was
    /// written is an error.
    pub(crate) fn content(
        &self,
        name: &RecordName,
        record: &ChangeRecord,
        path: &str,
    ) -> io::Result<Option<Vec<u8>>> {
        let (Some((at, length)), Some(file)) = (record.place(path), record.file(path)) else {
            return Ok(None);
        };
        let mut reader = own(File::options().read(true)).open(self.path(name))?;
        reader.seek(SeekFrom::Start(record.header_length + at))?;
        let mut content = Vec::new();
        reader.take(length).read_to_end(&mut content)?;
        match FileState::from_content(&content) == file.before {
            true => Ok(Some(content)),
            false => Err(io::Error::other(format!("{} is damaged", self.path(name).display()))),
        }
    }

    /// Writes a record durably, as one that is begun, and the contents that it keeps. Returns its
    /// name.
    pub(crate) fn write(
        &self,
        record: &mut ChangeRecord,
        mut content: impl FnMut(&str) -> io::Result<Vec<u8>>,
    ) -> io::Result<RecordName> {
        let number = self.names()?.last().map_or(0, |last| last.number) + 1;
        let conversation = file_name(&record.origin.conversation);
        let name = RecordName { number, is_done: false, conversation };
        let new = self.new_file()?;
        let now = new.metadata()?.modified()?;
        record.time = now.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        let mut out = BufWriter::new(new);
        out.write_all(record.header()?.as_bytes())?;
        for file in record.files.iter().filter(|file| file.kept.is_some()) {
            let content = content(&file.path)?;
            if FileState::from_content(&content) != file.before {
                let path = &file.path;
                return Err(io::Error::other(format!("{path} changes while it is copied")));
            }
            out.write_all(&content)?;
        }
        out.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()?;
        fs::rename(self.path.join(NEW), self.path(&name))?;
        sync(&self.path)?;
        Ok(name)
    }

    /// Marks a record as done.
    pub(crate) fn complete(&self, name: &RecordName) -> io::Result<RecordName> {
        let done = RecordName { is_done: true, ..name.clone() };
        fs::rename(self.path(name), self.path(&done))?;
        Ok(done)
    }

    pub(crate) fn remove(&self, name: &RecordName) -> io::Result<()> {
        fs::remove_file(self.path(name))
    }

    /// Makes removals survive a power cut.
    pub(crate) fn sync(&self) -> io::Result<()> {
        sync(&self.path)
    }

    /// Removes the contents of a record, and keeps its data about them.
    pub(crate) fn strip(&self, name: &RecordName) -> io::Result<()> {
        let mut record = self.read(name)?;
        record.files.iter_mut().for_each(|file| file.kept = None);
        let mut new = self.new_file()?;
        new.write_all(record.header()?.as_bytes())?;
        new.set_modified(fs::metadata(self.path(name))?.modified()?)?;
        new.sync_all()?;
        fs::rename(self.path.join(NEW), self.path(name))
    }

    /// Creates the file of a record, before it gets its name.
    fn new_file(&self) -> io::Result<File> {
        let path = self.path.join(NEW);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => own(File::options().write(true).create_new(true)).open(path),
        }
    }

    fn reader(&self, name: &RecordName) -> io::Result<BufReader<File>> {
        Ok(BufReader::new(own(File::options().read(true)).open(self.path(name))?))
    }
}

/// Sets that only the owner can access a file, and that a link is not followed.
fn own(options: &mut OpenOptions) -> &mut OpenOptions {
    options.private().without_links()
}

/// Creates a folder that only its owner can access, and those above it, durably.
pub(crate) fn make(folder: &Path) -> io::Result<()> {
    let missing: Vec<_> = folder.ancestors().take_while(|above| !above.is_dir()).collect();
    if missing.is_empty() {
        return Ok(());
    }
    DirBuilder::new().recursive(true).private().create(folder)?;
    for made in missing {
        match made.parent() {
            Some(above) if above.as_os_str().is_empty() => sync(Path::new("."))?,
            Some(above) => sync(above)?,
            None => {}
        }
    }
    Ok(())
}

/// Makes entries that were added to a folder, or removed from it, survive a power cut.
pub(crate) fn sync(folder: &Path) -> io::Result<()> {
    silcrow_system::sync_folder(folder)
}

const BEGUN: &str = "begun";
const DONE: &str = "done";

/// The file that is locked.
const LOCK: &str = "LOCK";

/// The file that becomes a record. Its name is not a record's.
const NEW: &str = "NEW";

/// The time for which a process waits for the lock: ten seconds.
const MAX_TRIES: u32 = 2_000;
const BETWEEN_TRIES: Duration = Duration::from_millis(5);
