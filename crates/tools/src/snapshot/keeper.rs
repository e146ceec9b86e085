//! The times of looks: before a command, after it, and before the journal is read.
//!
//! Each look finds the changes since the last one, which the command that ended has made. If none
//! ended, it was the newest one that runs or was cut short. Without any it was a person, and
//! nothing is recorded.

use std::fs;
use std::io;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use silcrow_tool::{
    CallContext, ChangeKeeper, FileDelta, KeptBefore, KeptOutcome, ToolError, ToolOutput,
};
use tokio::task::spawn_blocking;

use super::entry::TreeSnapshot;
use super::folder::{LiveMarker, LockedSnapshots, MarkerText, SnapshotCache, snapshots};
use super::look::{LookLimits, look};
use super::recording::CommandChanges;
use crate::changes::folder::LockedFolder;
use crate::changes::record::ChangeOrigin;
use crate::changes::{ChangeJournal, root_name};
use crate::root::Root;

/// Keeps the files of a [`Root`] before commands change them, so that a [`ChangeJournal`] takes their
/// changes back, too.
///
/// It keeps the files that git does not ignore, in the folder of the journal: of each file up to
/// the limits of the journal, of all files together up to 512 MiB, and up to 100,000 entries. A
/// file is copied once, and again only when it has changed; the file system shares its blocks if it
/// can. A look reads contents for 5 seconds at most, and a later one reads on.
///
/// ```
/// use silcrow_tool::{CallContext, ChangeKeeper as _, Scope};
/// use silcrow_tools::{ChangeJournal, Root, UndoRequest};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("work");
/// # std::fs::create_dir(&path)?;
/// # std::fs::write(path.join("notes.txt"), "one\n")?;
/// let root = Root::open(&path)?;
/// let journal = ChangeJournal::new(folder.path().join("changes"));
/// let keeper = journal.keeper(&root);
///
/// let context = CallContext::new(Scope::new("first"), "1");
/// let kept = keeper.before(&context).await.unwrap();
/// std::process::Command::new("rm").arg(path.join("notes.txt")).status()?;
/// let outcome = kept.after().await;
/// assert_eq!(outcome.changes[0].short(), "notes.txt removed, −1");
///
/// journal.undo(&root, &UndoRequest::new("first"))?;
/// assert_eq!(std::fs::read_to_string(path.join("notes.txt"))?, "one\n");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct CommandKeeper {
    journal: ChangeJournal,
    root: Root,
    cache: Arc<SnapshotCache>,
}

impl ChangeJournal {
    /// Creates the keeper of a root's files before commands change them.
    pub fn keeper(&self, root: &Root) -> CommandKeeper {
        CommandKeeper { journal: self.clone(), root: root.clone(), cache: Arc::default() }
    }

    /// Records the changes of commands that are running or were cut short.
    pub(crate) fn catch_up(&self, root: &Root) -> io::Result<()> {
        let keeper = self.keeper(root);
        match LockedSnapshots::open(self.folder(), &root.identity()?)? {
            Some(locked) if !locked.markers()?.is_empty() => keeper.look(&locked, None).map(drop),
            _ => Ok(()),
        }
    }
}

impl ChangeKeeper for CommandKeeper {
    fn before<'a>(
        &'a self,
        context: &'a CallContext,
    ) -> BoxFuture<'a, Result<Box<dyn KeptBefore>, ToolError>> {
        let (keeper, origin) = (self.clone(), ChangeOrigin::from_context(context));
        async move {
            let begun = spawn_blocking(move || keeper.begin(origin)).await;
            let begun = begun.unwrap_or_else(|error| Err(io::Error::other(error)));
            let begun = begun.map_err(|error| ToolError::new(error.to_string()))?;
            Ok(Box::new(begun) as Box<dyn KeptBefore>)
        }
        .boxed()
    }

    fn undo<'a>(
        &'a self,
        call: &'a str,
        context: &'a CallContext,
    ) -> BoxFuture<'a, Result<ToolOutput, ToolError>> {
        self.journal.undo_call(&self.root, call, context).boxed()
    }
}

/// A running command, whose root was looked at before.
#[derive(Debug)]
struct KeptCommand {
    keeper: CommandKeeper,
    origin: ChangeOrigin,
    marker: LiveMarker,
}

impl KeptBefore for KeptCommand {
    fn after(self: Box<Self>) -> BoxFuture<'static, KeptOutcome> {
        async move {
            let ended = spawn_blocking(move || self.end()).await;
            let ended = ended.unwrap_or_else(|error| Err(io::Error::other(error)));
            match ended {
                Ok(changes) => KeptOutcome { changes, notices: Vec::new() },
                Err(error) => {
                    let notice = format!("what it changed cannot be taken back: {error}");
                    KeptOutcome { changes: Vec::new(), notices: vec![notice] }
                }
            }
        }
        .boxed()
    }
}

impl KeptCommand {
    fn end(self) -> io::Result<Vec<FileDelta>> {
        let keeper = &self.keeper;
        let locked = LockedSnapshots::create(keeper.journal.folder(), &keeper.root.identity()?)?;
        let changes = keeper.look(&locked, Some(&self.origin))?;
        // If it stays, the next look finds no changes for it.
        let _ = fs::remove_file(&self.marker.path);
        Ok(changes)
    }
}

impl CommandKeeper {
    fn begin(self, origin: ChangeOrigin) -> io::Result<KeptCommand> {
        let root = root_name(&self.root)?;
        let journal = self.journal.folder();
        let locked = LockedSnapshots::create(journal, &root.identity)?;
        self.look(&locked, None)?;
        let marker = locked.begin(&MarkerText { origin: origin.clone(), root })?;
        Ok(KeptCommand { keeper: self, origin, marker })
    }

    /// Looks at the files, and records the changes since the last look for the command that has
    /// ended, or for another one.
    fn look(
        &self,
        locked: &LockedSnapshots,
        ended: Option<&ChangeOrigin>,
    ) -> io::Result<Vec<FileDelta>> {
        let last = locked.load(&self.cache);
        if last.is_none() {
            self.remove_old();
        }
        let mark = match LockedFolder::open(self.journal.folder(), || true)? {
            Some(folder) => folder.names()?.last().map_or(0, |name| name.number),
            None => 0,
        };
        let markers = locked.markers()?;
        let empty = TreeSnapshot::default();
        let before = last.as_deref().unwrap_or(&empty);
        let mut after = look(&self.root, before, &locked.store, self.limits())?;
        let newest = markers.last();
        let origin =
            ended.or_else(|| newest.map(|marker| &marker.text.origin)).filter(|_| last.is_some());
        let mut changes = Vec::new();
        if let Some(origin) = origin {
            let until = newest.filter(|_| ended.is_none()).and_then(|marker| marker.until);
            let until = until.map(|until| until.saturating_add(BEAT));
            let (journal, root, store) = (&self.journal, &self.root, &locked.store);
            let it = CommandChanges { journal, root, store, before, after: &after, origin, until };
            changes = it.record()?;
        }
        let is_same = after.entries == before.entries && after.passed == before.passed;
        if !is_same || last.is_none() {
            after.mark = mark;
            locked.save(after, &self.cache)?;
        }
        for marker in markers.iter().filter(|marker| marker.until.is_some()) {
            // If it stays, the next look finds no changes for it.
            let _ = fs::remove_file(&marker.path);
        }
        Ok(changes)
    }

    fn limits(&self) -> LookLimits {
        let file_bytes = self.journal.limits().max_kept();
        LookLimits { file_bytes, total_bytes: TOTAL_BYTES, entries: MAX_ENTRIES, time: MOST_TIME }
    }

    /// Removes the snapshots of roots without a look for as long as records are kept.
    fn remove_old(&self) {
        let Ok(entries) = fs::read_dir(snapshots(self.journal.folder())) else { return };
        for folder in entries.flatten().map(|entry| entry.path()) {
            let looked = fs::metadata(folder.join("index")).and_then(|index| index.modified());
            let age = looked.ok().and_then(|looked| SystemTime::now().duration_since(looked).ok());
            if age.is_some_and(|age| age > self.journal.limits().age) {
                // It is tried again for the next root.
                let _ = fs::remove_dir_all(folder);
            }
        }
    }
}

/// The length of all files that are kept, in bytes.
const TOTAL_BYTES: u64 = 512 << 20;

/// The time that a look spends on reading contents.
const MOST_TIME: Duration = Duration::from_secs(5);

/// The number of files, folders and links that are checked.
const MAX_ENTRIES: usize = 100_000;

/// The longest time between two signs of life of a process, with a margin, in nanoseconds.
const BEAT: i64 = 1_500_000_000;
