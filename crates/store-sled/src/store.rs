use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};

use futures_util::future::BoxFuture;
use futures_util::stream::BoxStream;
use silcrow_event as event;
use silcrow_store::search::{Hit, Index, Query};
use silcrow_store::verify::{self, Report};
use silcrow_store::{Error, HeadWatchers, Store, Summary, Versioned, validate};

use crate::compact::{self, Compacted};
use crate::engine::{Engine, Trees};
use crate::fault::{closed, cut_short, gone, limit};
use crate::folder::{Folder, failed};
use crate::guard::{check_system, guarded, stopped};
use crate::keys;
use crate::lock::Lock;
use crate::mark::SledMark;
use crate::meta::Meta;
use crate::pending::PendingChanges;
use crate::read::Reader;
use crate::reserve;
use crate::stage::SledChange;
use crate::writer::SledWriter;

/// A store in a folder of this machine.
///
/// One event or value is at most 64 MiB long; longer ones are refused.
///
/// Dropping it writes what is queued, which blocks for as long as that takes, and gives the folder
/// free: it can be opened again at once.
#[derive(Debug)]
pub struct SledStore {
    writer: SledWriter,
    shared: Arc<SledShared>,
    /// Filled by the first search.
    index: tokio::sync::Mutex<Index>,
    was_open: Option<u32>,
    // Given back last.
    _lock: Lock,
}

/// How a store is opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "callers name what they change and take the rest")]
pub struct Options {
    /// What an acknowledged change survives.
    pub durability: SledDurability,
}

/// What an acknowledged change survives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum SledDurability {
    /// The death of the process and of the machine: each group of changes is synced to the disk.
    #[default]
    Power,
    /// The death of the process: each group of changes is given to the system, which writes it
    /// when it likes.
    Process,
}

/// What the store, its writer and its readers have in common.
#[derive(Debug)]
pub(crate) struct SledShared {
    pub(crate) dir: PathBuf,
    /// `None` once closed.
    engine: RwLock<Option<Engine>>,
    pub(crate) pending: PendingChanges,
    pub(crate) heads: HeadWatchers,
}

impl SledStore {
    /// Opens the store in the folder `dir`, and makes both if they are not there. On a full disk it
    /// can be read, and refuses all changes.
    ///
    /// # Errors
    ///
    /// - [`Locked`](silcrow_store::ErrorKind::Locked): another process has it open, or this one;
    ///   the message names it.
    /// - [`Format`](silcrow_store::ErrorKind::Format): the folder is no store, or one of another
    ///   version. Nothing in it was touched.
    /// - [`Untrusted`](silcrow_store::ErrorKind::Untrusted): the folder or a file in it is another
    ///   user's, or a link.
    /// - [`Damaged`](silcrow_store::ErrorKind::Damaged): its files are not what was written.
    /// - [`Unavailable`](silcrow_store::ErrorKind::Unavailable): the system has no thread for it,
    ///   or sled stopped and nobody knows why.
    /// - [`Io`](silcrow_store::ErrorKind::Io): the system refused something.
    ///
    /// # Panics
    ///
    /// Outside a tokio runtime.
    pub async fn open(dir: impl AsRef<Path>, options: Options) -> Result<Self, Error> {
        let dir = dir.as_ref();
        // sled opens some of its files late, when the working folder may be another.
        let dir = std::path::absolute(dir).map_err(|error| failed("opening", dir, error))?;
        // The runtime panics where it gets no thread.
        check_system(&dir)?;
        let open = move || {
            let folder = Folder::take(&dir)?;
            let (engine, is_full) = reserve::open(&folder)?;
            let clock = Reader { dir: &dir, trees: &engine.trees }.clock()?;
            let (mark, groups) = SledMark::open(&dir)?;
            if clock.groups < groups {
                return Err(cut_short(&dir, clock.groups, groups));
            }
            let shared = Arc::new(SledShared {
                dir,
                engine: RwLock::new(Some(engine)),
                pending: PendingChanges::default(),
                heads: HeadWatchers::default(),
            });
            let refused = is_full.then(|| "the disk is full".to_owned());
            let writer =
                SledWriter::start(Arc::clone(&shared), options.durability, clock, mark, refused)
                    .map_err(|error| failed("starting the writer of", &shared.dir, error))?;
            let was_open = folder.was_open;
            Ok(Self { writer, shared, index: Default::default(), was_open, _lock: folder.lock })
        };
        tokio::task::spawn_blocking(open).await.map_err(gone)?
    }

    /// Returns the mode that the folder of this store had before it was opened, if other users
    /// could read it. It is its owner's alone now.
    pub const fn was_open_to_others(&self) -> Option<u32> {
        self.was_open
    }

    /// Writes the files of the store in the folder `dir` anew, without the room that sled has not
    /// given free. A process that is killed meanwhile leaves the old files or the new ones. It
    /// takes as much room again as the store needs.
    ///
    /// # Errors
    ///
    /// Those of [`open`](Self::open), [`Format`](silcrow_store::ErrorKind::Format) also where there
    /// is no store. [`Damaged`](silcrow_store::ErrorKind::Damaged) where sled cannot read all of
    /// it: nothing is changed then.
    ///
    /// # Panics
    ///
    /// Outside a tokio runtime.
    pub async fn compact(dir: impl AsRef<Path>) -> Result<Compacted, Error> {
        let dir = dir.as_ref();
        let dir = std::path::absolute(dir).map_err(|error| failed("opening", dir, error))?;
        check_system(&dir)?;
        tokio::task::spawn_blocking(move || compact::compact(&dir)).await.map_err(gone)?
    }

    /// Reads on a thread that may block.
    async fn read<T: Send + 'static>(
        &self,
        read: impl FnOnce(&SledShared, Reader<'_>) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let shared = Arc::clone(&self.shared);
        let work = move || {
            let engine = shared.engine();
            let engine = engine.as_ref().ok_or_else(|| closed(&shared.dir))?;
            let read = || read(&shared, shared.reader(&engine.trees));
            guarded(read).unwrap_or_else(|_| Err(stopped(&shared.dir, "reading")))
        };
        tokio::task::spawn_blocking(work).await.map_err(gone)?
    }
}

impl SledShared {
    pub(crate) fn engine(&self) -> RwLockReadGuard<'_, Option<Engine>> {
        self.engine.read().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn reader<'a>(&'a self, trees: &'a Trees) -> Reader<'a> {
        Reader { dir: &self.dir, trees }
    }

    /// What readers may know of a log.
    fn log(&self, reader: Reader<'_>, conversation: &str) -> Result<Option<Meta>, Error> {
        let read = reader.log(conversation)?;
        Ok(self.pending.log(conversation, read))
    }

    fn entries(
        &self,
        reader: Reader<'_>,
        conversation: &str,
        positions: &RangeInclusive<u64>,
    ) -> Result<Vec<event::Entry>, Error> {
        loop {
            let Some(log) = self.log(reader, conversation)? else { return Ok(Vec::new()) };
            let first = (*positions.start()).max(1);
            let last = (*positions.end()).min(log.head());
            if first > last {
                return Ok(Vec::new());
            }
            let entries = reader.entries(&log, first, last);
            // Meanwhile it may have been deleted, and even begun anew.
            let goes_on =
                |now: Meta| now.head() >= log.head() && now.summary.first == log.summary.first;
            if entries.is_ok() || self.log(reader, conversation)?.is_some_and(goes_on) {
                return entries;
            }
        }
    }
}

impl Drop for SledStore {
    fn drop(&mut self) {
        self.writer.close();
        // Once those who read are done.
        let engine = self.shared.engine.write().unwrap_or_else(PoisonError::into_inner).take();
        // sled panics where a last sync fails. What was acknowledged needs none.
        let _ = guarded(|| drop(engine));
    }
}

impl Store for SledStore {
    fn append<'a>(
        &'a self,
        conversation: &'a str,
        expected: u64,
        mut batch: Vec<event::Entry>,
    ) -> BoxFuture<'a, Result<u64, Error>> {
        Box::pin(async move {
            validate::name("conversation id", conversation)?;
            validate::assign_positions(expected, &mut batch)?;
            let lines: Vec<_> = batch.iter().map(event::Entry::to_json).collect();
            for line in &lines {
                limit("event", line.len())?;
            }
            let conversation = conversation.to_owned();
            self.writer.submit(SledChange::Append { conversation, expected, batch, lines }).await
        })
    }

    fn read<'a>(
        &'a self,
        conversation: &'a str,
        positions: RangeInclusive<u64>,
    ) -> BoxFuture<'a, Result<Vec<event::Entry>, Error>> {
        Box::pin(async move {
            validate::name("conversation id", conversation)?;
            let conversation = conversation.to_owned();
            self.read(move |shared, reader| shared.entries(reader, &conversation, &positions)).await
        })
    }

    fn head<'a>(&'a self, conversation: &'a str) -> BoxFuture<'a, Result<u64, Error>> {
        Box::pin(async move {
            validate::name("conversation id", conversation)?;
            let conversation = conversation.to_owned();
            self.read(move |shared, reader| {
                Ok(shared.log(reader, &conversation)?.map_or(0, |log| log.head()))
            })
            .await
        })
    }

    fn follow<'a>(
        &'a self,
        conversation: &'a str,
        after: u64,
    ) -> BoxStream<'a, Result<event::Entry, Error>> {
        self.shared.heads.follow(self, conversation, after)
    }

    fn list<'a>(&'a self, user: Option<&'a str>) -> BoxFuture<'a, Result<Vec<Summary>, Error>> {
        Box::pin(async move {
            validate::user(user)?;
            let user = user.map(str::to_owned);
            self.read(move |shared, reader| {
                let seen = |log: Meta| {
                    let conversation = log.summary.conversation.clone();
                    shared.pending.log(&conversation, Some(log))
                };
                let mut logs: Vec<_> = reader.metas()?.into_iter().filter_map(seen).collect();
                logs.retain(|log| user.is_none() || log.summary.user == user);
                logs.sort_unstable_by_key(|log| std::cmp::Reverse(log.place));
                Ok(logs.into_iter().map(|log| log.summary).collect())
            })
            .await
        })
    }

    fn get<'a>(
        &'a self,
        space: &'a str,
        key: &'a str,
    ) -> BoxFuture<'a, Result<Option<Versioned>, Error>> {
        Box::pin(async move {
            validate::name("space", space)?;
            validate::name("key", key)?;
            let (space, name) = (space.to_owned(), key.to_owned());
            self.read(move |shared, reader| {
                let key = keys::value(&space, &name);
                let read = reader.value(&space, &name, &key)?;
                Ok(shared.pending.value(&key, read))
            })
            .await
        })
    }

    fn put<'a>(
        &'a self,
        space: &'a str,
        key: &'a str,
        expected: u64,
        value: Vec<u8>,
    ) -> BoxFuture<'a, Result<u64, Error>> {
        Box::pin(async move {
            validate::name("space", space)?;
            validate::name("key", key)?;
            limit("value", value.len())?;
            let (space, name) = (space.to_owned(), key.to_owned());
            self.writer.submit(SledChange::Put { space, name, expected, value }).await
        })
    }

    fn keys(&self) -> BoxFuture<'_, Result<Vec<(String, String)>, Error>> {
        Box::pin(self.read(|_, reader| reader.keys()))
    }

    fn delete<'a>(
        &'a self,
        conversation: &'a str,
        expected: u64,
    ) -> BoxFuture<'a, Result<(), Error>> {
        Box::pin(async move {
            validate::name("conversation id", conversation)?;
            let conversation = conversation.to_owned();
            self.writer.submit(SledChange::Delete { conversation, expected }).await.map(|_| ())
        })
    }

    fn verify(&self) -> BoxFuture<'_, Result<Report, Error>> {
        Box::pin(async move {
            let mut report = verify::read_all(self).await?;
            let mut checked = report.clone();
            // Where sled stops on the way, what was found before stays found.
            match self.read(move |_, reader| reader.check(&mut checked).map(|()| checked)).await {
                Ok(checked) => Ok(checked),
                Err(error) => report.unread("events", error).map(|()| report),
            }
        })
    }

    fn search<'a>(&'a self, query: &'a Query) -> BoxFuture<'a, Result<Vec<Hit>, Error>> {
        Box::pin(async move { self.index.lock().await.search(self, query).await })
    }
}
