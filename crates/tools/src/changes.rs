//! A journal of the changes that file tools make, which allows undoing them.
//!
//! [`ChangeJournal`] is a folder of records. A tool locks it, records a file durably, changes the
//! file, and marks the record as done; so after a crash the hashes of a record say whether its
//! change happened. `record` defines the contents of a record, `folder` stores it, and `prune`
//! removes it. Tools and undo are in other modules.

pub(crate) mod entry_path;
pub(crate) mod folder;
mod known_log;
mod prune;
pub(crate) mod record;

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use silcrow_tool::{CallContext, CancellationToken};

use self::folder::{LockedFolder, RecordName};
use self::record::{ChangeKind, ChangeOrigin, ChangeRecord, FORMAT, RootName};
use crate::by_conversation::{file_name, is_of_call};
use crate::root::Root;

pub(crate) use self::record::ChangedFile;

pub use self::prune::ChangeLimits;

/// A folder that keeps the contents of files from before tools changed them, so that the changes
/// can be undone.
///
/// A tool such as [`FileWrite`](crate::FileWrite) records each change here before it makes it: the
/// conversation, the turn and the call, the content before, and the hashes of the contents before
/// and after. [`undo`](Self::undo) undoes changes, and refuses a file that has changed since.
///
/// ```
/// use silcrow_tools::{ChangeJournal, FileWrite, Root};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # use silcrow_tools::UndoRequest;
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path();
/// # std::fs::create_dir(path.join("work"))?;
/// let root = Root::open(path.join("work"))?;
/// let journal = ChangeJournal::new(path.join("changes"));
/// let write = FileWrite::new(&root).with_journal(&journal);
///
/// // … after some calls of the tool in the conversation `first`:
/// let report = journal.undo(&root, &UndoRequest::new("first"))?;
/// for file in report.files {
///     println!("{} {}", file.outcome.as_str(), file.path);
/// }
/// # Ok(())
/// # }
/// ```
///
/// Any number of processes can share the folder. Only one of them at a time changes files or undoes
/// changes. Programs that do not use the journal are not locked out: a change by one of them
/// between the last look at a file and its replacement, some microseconds later, is not recorded.
#[derive(Clone, Debug)]
pub struct ChangeJournal {
    folder: PathBuf,
    limits: ChangeLimits,
    /// The number of bytes that were added since records were last counted.
    added: Arc<AtomicU64>,
}

impl ChangeJournal {
    /// Creates a journal in this folder, which is created when the first change is recorded.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        let added = Arc::new(AtomicU64::new(NEVER_COUNTED));
        Self { folder: folder.into(), limits: ChangeLimits::default(), added }
    }

    /// Sets the amount of kept data, and its age.
    #[must_use]
    pub fn with_limits(self, limits: ChangeLimits) -> Self {
        Self { limits, ..self }
    }

    /// Removes the records of a conversation and of the conversations of its calls, and their
    /// knowledge of files. Returns whether there were records. Blocks.
    ///
    /// The conversations of calls are found by their ids, unless these are too long for the name of
    /// a file; so pass the ids of such conversations, too.
    ///
    /// # Errors
    ///
    /// Returns the error of the system if something cannot be removed.
    pub fn remove(&self, conversation: &str) -> io::Result<bool> {
        let Some(folder) = self.open()? else { return Ok(false) };
        let own = file_name(conversation);
        let mut removed = false;
        for name in folder.names()? {
            if name.conversation == own || is_of_call(&name.conversation, &own) {
                folder.remove(&name)?;
                removed = true;
            }
        }
        self.remove_known(conversation)?;
        folder.sync()?;
        Ok(removed)
    }

    /// Returns the recorder of a call's changes.
    pub(crate) fn recorder(&self, context: &CallContext) -> ChangeRecorder {
        ChangeRecorder { journal: self.clone(), origin: ChangeOrigin::from_context(context) }
    }

    /// Locks the folder, or returns `None` if nothing was recorded.
    pub(crate) fn open(&self) -> io::Result<Option<LockedFolder>> {
        LockedFolder::open(&self.folder, || true)
    }

    /// Returns the folder.
    pub(crate) fn folder(&self) -> &std::path::Path {
        &self.folder
    }

    pub(crate) const fn limits(&self) -> &ChangeLimits {
        &self.limits
    }

    /// Removes records beyond the limits, if it is time to check them.
    pub(crate) fn prune(&self, folder: &LockedFolder, newest: &RecordName) -> io::Result<()> {
        let length = folder.path(newest).metadata()?.len();
        let added = self.added.load(Ordering::Relaxed).saturating_add(length);
        let is_due =
            added > self.limits.total_bytes / prune::PART || newest.number.is_multiple_of(COUNTED);
        self.added.store(if is_due { 0 } else { added }, Ordering::Relaxed);
        if is_due { prune::prune(folder, &self.limits, newest) } else { Ok(()) }
    }
}

/// The value of [`ChangeJournal::added`] before records are counted for the first time.
const NEVER_COUNTED: u64 = u64::MAX;

/// One in this many records causes a count of all records.
const COUNTED: u64 = 64;

/// The recorder of one call's changes.
#[derive(Clone, Debug)]
pub(crate) struct ChangeRecorder {
    journal: ChangeJournal,
    origin: ChangeOrigin,
}

impl ChangeRecorder {
    /// Returns the journal.
    pub(crate) const fn journal(&self) -> &ChangeJournal {
        &self.journal
    }

    /// Locks the journal: from the last look at a file until it is changed, no other call changes
    /// it.
    pub(crate) fn lock(&self, cancel: &CancellationToken) -> io::Result<LockedRecorder<'_>> {
        let folder = LockedFolder::create(&self.journal.folder, || !cancel.is_cancelled())?;
        Ok(LockedRecorder { recorder: self, folder })
    }
}

/// A recorder whose journal is locked.
#[derive(Debug)]
pub(crate) struct LockedRecorder<'a> {
    recorder: &'a ChangeRecorder,
    folder: LockedFolder,
}

impl<'a> LockedRecorder<'a> {
    /// Returns the maximum length of a content that is kept, in bytes.
    pub(crate) fn max_kept(&self) -> u64 {
        self.recorder.journal.limits.max_kept()
    }

    /// Records planned changes of files durably, and keeps the present content of each.
    pub(crate) fn record(
        self,
        root: &Root,
        files: Vec<(ChangedFile, Vec<u8>)>,
    ) -> io::Result<RecordedChange<'a>> {
        let (files, contents): (Vec<_>, Vec<_>) = files.into_iter().unzip();
        let paths = files.iter().map(|file: &ChangedFile| file.path.clone());
        let mut contents: BTreeMap<_, _> = paths.zip(contents).collect();
        let mut record = ChangeRecord {
            format: FORMAT,
            kind: ChangeKind::Call,
            origin: self.recorder.origin.clone(),
            time: 0,
            root: root_name(root)?,
            undoes: Vec::new(),
            files,
            uncovered: Vec::new(),
            header_length: 0,
        };
        let content = |path: &str| Ok(contents.remove(path).unwrap_or_default());
        let name = self.folder.write(&mut record, content)?;
        Ok(RecordedChange { locked: self, name })
    }
}

/// A change that is recorded and about to happen. If this is dropped, as after a crash, the hashes
/// decide whether it happened.
#[derive(Debug)]
pub(crate) struct RecordedChange<'a> {
    locked: LockedRecorder<'a>,
    name: RecordName,
}

impl RecordedChange<'_> {
    /// Marks the change as done, and removes records that are beyond the limits.
    pub(crate) fn complete(self) {
        let folder = &self.locked.folder;
        // If this fails, the file is changed nevertheless, and the hashes in the record show that.
        if let Ok(done) = folder.complete(&self.name) {
            let _ = self.locked.recorder.journal.prune(folder, &done);
        }
    }

    /// Removes the record, because the change failed.
    pub(crate) fn withdraw(self) {
        // If this fails, the hashes show that nothing happened.
        let _ = self.locked.folder.remove(&self.name);
    }
}

/// Returns the name of a root in a record.
pub(crate) fn root_name(root: &Root) -> io::Result<RootName> {
    let path = root.path().map(|path| path.to_string_lossy().into_owned());
    Ok(RootName { identity: root.identity()?, path: path.unwrap_or_default() })
}
