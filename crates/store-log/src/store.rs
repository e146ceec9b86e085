//! The store: the [`Store`] trait over a log in a folder.

use std::fmt;
use std::ops::RangeInclusive;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use futures_util::future::BoxFuture;
use futures_util::stream::{self, BoxStream};
use silcrow_event as event;
use silcrow_store::search::{Hit, Index as TextIndex, Query};
use silcrow_store::verify::Report;
use silcrow_store::{Error, Hold, SharedRuns, Store, Summary, Versioned, validate};
use tokio::sync::oneshot;

use crate::compact::{self, Compaction};
use crate::fault::{ended, failed, limit, limit_batch, no_thread};
use crate::folder;
use crate::hold::{self, LogRuns};
use crate::index;
use crate::log::LogFiles;
use crate::mend::{self, Mended};
use crate::options::{Durability, Options};
use crate::shared::Shared;
use crate::stage::{Change, NewEvent};
use crate::verify;
use crate::watch;
use crate::worker::Worker;
use crate::writer::Writer;

/// A store in a folder of this machine, which any number of processes share.
///
/// An event or a value is at most 64 MiB long; longer ones are rejected.
///
/// Dropping the store writes what is queued, which blocks for as long as that takes.
pub struct LogStore {
    // Dropped before the thread that reads, which it does not need.
    writer: Mutex<Option<Arc<Writer>>>,
    is_watched: Mutex<bool>,
    reader: Worker,
    shared: Arc<Shared>,
    runs: LogRuns,
    durability: Durability,
    /// Filled by the first search that goes without the index in the folder.
    text: tokio::sync::Mutex<TextIndex>,
    notify: Arc<dyn Fn(&str) + Send + Sync>,
}

impl LogStore {
    /// Opens the store in the folder `dir`. Nothing is written before the first change, which makes
    /// what is missing.
    ///
    /// # Errors
    ///
    /// - [`Format`](silcrow_store::ErrorKind::Format): the folder is no store, or one of another version.
    /// - [`Untrusted`](silcrow_store::ErrorKind::Untrusted): the folder or a file in it belongs to another user,
    ///   or is a link.
    /// - [`Unavailable`](silcrow_store::ErrorKind::Unavailable): the system has no thread for the store.
    /// - [`Io`](silcrow_store::ErrorKind::Io): the system refused something.
    pub async fn open(dir: impl AsRef<Path>, options: Options) -> Result<Self, Error> {
        let store = Self::open_unread(dir, options).await?;
        store.read(|_| Ok(())).await?;
        Ok(store)
    }

    /// Opens the store as [`open`](Self::open) does, but reads nothing of its log. The first read or
    /// change does that, which takes longer the longer the log is.
    ///
    /// # Errors
    ///
    /// Those of [`open`](Self::open). If the log cannot be read, the first read or change fails.
    pub async fn open_unread(dir: impl AsRef<Path>, options: Options) -> Result<Self, Error> {
        let dir = dir.as_ref();
        // Some files are opened late, when the working folder may be another.
        let dir = std::path::absolute(dir).map_err(|error| failed("opening", dir, error))?;
        let reader = Worker::start("silcrow-store-read").map_err(|error| no_thread(&dir, error))?;
        let runs = LogRuns::new(&dir);
        let shared = Arc::new(Shared::new(dir));
        let store = Self {
            writer: Mutex::default(),
            is_watched: Mutex::default(),
            reader,
            shared,
            runs,
            durability: options.durability,
            text: tokio::sync::Mutex::default(),
            notify: Arc::new(|_| {}),
        };
        store.work(|shared| folder::look(&shared.dir)).await?;
        Ok(store)
    }

    /// Passes what a person should know to `notify`, one line each: so far, that the search index is
    /// built, which takes a while.
    #[must_use]
    pub fn on_notice(mut self, notify: impl Fn(&str) + Send + Sync + 'static) -> Self {
        self.notify = Arc::new(notify);
        self
    }

    /// Gives the room of what was deleted back to the system, beside those who read and write.
    /// It begins with the segment that has the least that still counts, which it needs room for; on
    /// a full disk that is the room that the log has beforehand.
    ///
    /// The search index, which may have words of what was deleted, is removed first, unless another
    /// process uses it. The next search builds it again.
    ///
    /// # Errors
    ///
    /// - [`Locked`](silcrow_store::ErrorKind::Locked): another process writes and does not end.
    /// - [`Io`](silcrow_store::ErrorKind::Io): the system refused something.
    pub async fn compact(&self) -> Result<Compaction, Error> {
        let shared = Arc::clone(&self.shared);
        let let_go = move || drop(shared.log());
        self.work_apart(move |dir| {
            let _ = index::remove(dir);
            compact::compact(dir, let_go)
        })
        .await
    }

    /// Writes what is whole in damaged segments to new ones, and keeps the damaged files in the
    /// folder `damaged`. Reading then leaves out the events that are lost. Nothing happens to a
    /// store without damage.
    ///
    /// # Errors
    ///
    /// - [`Locked`](silcrow_store::ErrorKind::Locked): another process writes and does not end.
    /// - [`Io`](silcrow_store::ErrorKind::Io): the system refused something.
    pub async fn mend(&self) -> Result<Mended, Error> {
        self.work_apart(mend::mend).await
    }

    /// Returns the folder of the store.
    pub fn dir(&self) -> &Path {
        &self.shared.dir
    }

    /// Does something that takes long on a thread of its own.
    async fn work_apart<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Path) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let dir = self.shared.dir.clone();
        let thread = Worker::start("silcrow-store-work").map_err(|error| no_thread(&dir, error))?;
        let done = thread.run(move || work(&dir)).await;
        done.unwrap_or_else(|| Err(ended(&self.shared.dir)))
    }

    /// Searches with the index, on a thread of its own that nobody waits for if the caller has gone.
    /// `None` if there can be no index.
    async fn search_index(&self, query: &Query) -> Option<Vec<Hit>> {
        let (shared, query) = (Arc::clone(&self.shared), query.clone());
        let notify = Arc::clone(&self.notify);
        let (reply, answer) = oneshot::channel();
        let search = move || index::search(&shared, &query, index::WORTH_IT, &*notify);
        let thread = thread::Builder::new().name("silcrow-store-index".to_owned());
        thread.spawn(move || drop(reply.send(search()))).ok()?;
        answer.await.ok().flatten()
    }

    /// Does something on the thread that reads.
    async fn work<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Shared) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let shared = Arc::clone(&self.shared);
        let done = self.reader.run(move || work(&shared)).await;
        done.unwrap_or_else(|| Err(ended(&self.shared.dir)))
    }

    /// Reads everything that was acknowledged.
    pub(crate) async fn read<T: Send + 'static>(
        &self,
        read: impl Fn(&LogFiles) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        self.work(move |shared| shared.read(read)).await
    }

    pub(crate) async fn submit(&self, change: Change) -> Result<u64, Error> {
        let writer = self.writer()?;
        writer.submit(change).await
    }

    /// Returns the writer, which is started by the first change.
    fn writer(&self) -> Result<Arc<Writer>, Error> {
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(writer) = &*writer {
            return Ok(Arc::clone(writer));
        }
        let started = Writer::start(Arc::clone(&self.shared), self.durability);
        let started = started.map_err(|error| no_thread(&self.shared.dir, error))?;
        Ok(Arc::clone(writer.insert(Arc::new(started))))
    }

    /// Wakes followers when another process writes, from the first follower on.
    fn watch(&self) -> Result<(), Error> {
        let mut is_watched = self.is_watched.lock().unwrap_or_else(PoisonError::into_inner);
        if !*is_watched {
            watch::start(&self.shared).map_err(|error| no_thread(&self.shared.dir, error))?;
            *is_watched = true;
        }
        Ok(())
    }
}

impl fmt::Debug for LogStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("LogStore");
        debug.field("dir", &self.shared.dir).field("durability", &self.durability);
        debug.finish_non_exhaustive()
    }
}

impl Store for LogStore {
    fn append<'a>(
        &'a self,
        conversation: &'a str,
        expected: u64,
        mut batch: Vec<event::Entry>,
    ) -> BoxFuture<'a, Result<u64, Error>> {
        Box::pin(async move {
            validate::name("conversation id", conversation)?;
            validate::assign_positions(expected, &mut batch)?;
            let events: Vec<_> = batch.into_iter().map(NewEvent::new).collect();
            for event in &events {
                limit("event", event.json.len())?;
            }
            limit_batch(events.iter().map(|event| event.json.len()).sum())?;
            let conversation = conversation.to_owned();
            self.submit(Change::Append { conversation, expected, events }).await
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
            self.read(move |log| log.entries(&conversation, &positions)).await
        })
    }

    fn head<'a>(&'a self, conversation: &'a str) -> BoxFuture<'a, Result<u64, Error>> {
        Box::pin(async move {
            validate::name("conversation id", conversation)?;
            let conversation = conversation.to_owned();
            self.read(move |log| Ok(log.head(&conversation))).await
        })
    }

    fn follow<'a>(
        &'a self,
        conversation: &'a str,
        after: u64,
    ) -> BoxStream<'a, Result<event::Entry, Error>> {
        match self.watch() {
            Ok(()) => self.shared.heads.follow(self, conversation, after),
            Err(error) => Box::pin(stream::once(async { Err(error) })),
        }
    }

    fn list<'a>(&'a self, user: Option<&'a str>) -> BoxFuture<'a, Result<Vec<Summary>, Error>> {
        Box::pin(async move {
            validate::user(user)?;
            let user = user.map(str::to_owned);
            self.read(move |log| log.summaries(user.as_deref())).await
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
            let (space, key) = (space.to_owned(), key.to_owned());
            self.read(move |log| log.value(&space, &key)).await
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
            let (space, key) = (space.to_owned(), key.to_owned());
            self.submit(Change::Put { space, key, expected, value }).await
        })
    }

    fn keys(&self) -> BoxFuture<'_, Result<Vec<(String, String)>, Error>> {
        Box::pin(self.read(|log| {
            let names = log.view.values();
            Ok(names.map(|(space, key, _)| (space.to_owned(), key.to_owned())).collect())
        }))
    }

    fn delete<'a>(
        &'a self,
        conversation: &'a str,
        expected: u64,
    ) -> BoxFuture<'a, Result<(), Error>> {
        Box::pin(async move {
            validate::name("conversation id", conversation)?;
            let conversation = conversation.to_owned();
            self.submit(Change::Delete { conversation, expected }).await.map(|_| ())
        })
    }

    fn verify(&self) -> BoxFuture<'_, Result<Report, Error>> {
        Box::pin(self.work_apart(|dir| {
            // From the beginning, and beside those who write meanwhile.
            let mut log = LogFiles::new(dir);
            log.catch_up()?;
            verify::verify(&mut log)
        }))
    }

    fn search<'a>(&'a self, query: &'a Query) -> BoxFuture<'a, Result<Vec<Hit>, Error>> {
        Box::pin(async move {
            validate::user(query.user.name())?;
            let mut text = self.text.lock().await;
            match self.search_index(query).await {
                Some(hits) => Ok(hits),
                None => text.search(self, query).await,
            }
        })
    }

    fn hold<'a>(&'a self, conversation: &'a str) -> BoxFuture<'a, Result<Hold, Error>> {
        Box::pin(hold::hold(&self.shared.dir, conversation))
    }

    fn shared_runs(&self) -> &dyn SharedRuns {
        &self.runs
    }
}
