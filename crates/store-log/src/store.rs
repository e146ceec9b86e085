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
use silcrow_store::verify::{Damage, Report};
use silcrow_store::{Error, Hold, ListPage, SharedRuns, Store, Summary, Versioned, validate};
use tokio::sync::oneshot;

use crate::commit::Notify;
use crate::fault::{ended, failed, limit, limit_batch, no_thread};
use crate::folder;
use crate::hold;
use crate::index;
use crate::log::LogFiles;
use crate::options::{Durability, Options};
use crate::runs::LogRuns;
use crate::shared::Shared;
use crate::stage::{Change, NewEvent};
use crate::verify;
use crate::watch;
use crate::worker::Worker;
use crate::writer::WriterSlot;

/// A store in a folder of this machine, which any number of processes share.
///
/// An event or a value is at most 64 MiB long; longer ones are rejected.
///
/// Dropping the store writes the queued changes, which blocks until they are written.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// use silcrow_store::Store as _;
/// use silcrow_store_log::{LogStore, Options};
/// let folder = tempfile::tempdir()?;
/// let store = LogStore::open_unread(folder.path(), Options::default()).await?;
/// assert_eq!(store.head("c1").await?, 0);
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// # }).unwrap();
/// ```
pub struct LogStore {
    // Dropped before the thread that reads, which it does not need.
    writer: Arc<WriterSlot>,
    is_watched: Mutex<bool>,
    reader: Worker,
    pub(crate) shared: Arc<Shared>,
    runs: LogRuns,
    durability: Durability,
    /// Filled by the first search that goes without the index in the folder.
    text: tokio::sync::Mutex<TextIndex>,
    notify: Notify,
}

impl LogStore {
    /// Opens the store in the folder `dir`. Nothing is written before the first change, which
    /// creates missing files.
    ///
    /// # Errors
    ///
    /// - [`Format`](silcrow_store::ErrorKind::Format): the folder is not a store, or has another
    ///   version.
    /// - [`Untrusted`](silcrow_store::ErrorKind::Untrusted): the folder or a file in it belongs to another user,
    ///   or is a link.
    /// - [`Unavailable`](silcrow_store::ErrorKind::Unavailable): the system has no thread for the
    ///   store.
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
    /// The errors of [`open`](Self::open). If the log cannot be read, the first read or change
    /// fails.
    pub async fn open_unread(dir: impl AsRef<Path>, options: Options) -> Result<Self, Error> {
        let dir = dir.as_ref();
        // Some files are opened late, when the working folder may be another.
        let dir = std::path::absolute(dir).map_err(|error| failed("opening", dir, error))?;
        let reader = Worker::start("silcrow-store-read").map_err(|error| no_thread(&dir, error))?;
        let shared = Arc::new(Shared::new(dir));
        let runs = LogRuns::new(&shared);
        let store = Self {
            writer: Arc::default(),
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

    /// Passes messages for a person to `notify`, one line each: that the search index is built,
    /// which takes a while, and that the disk is too full to free the space of deleted data.
    #[must_use]
    pub fn on_notice(mut self, notify: impl Fn(&str) + Send + Sync + 'static) -> Self {
        self.notify = Arc::new(notify);
        self
    }

    /// Returns the folder of the store.
    pub fn dir(&self) -> &Path {
        &self.shared.dir
    }

    /// Searches with the index, on a separate thread that nothing waits for once the caller has
    /// gone. `None` if there can be no index.
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
    pub(crate) async fn work<T: Send + 'static>(
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
        let writer = self.writer.start(&self.shared, self.durability, &self.notify)?;
        writer.submit(change).await
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

    fn list_page<'a>(
        &'a self,
        user: Option<&'a str>,
        after: Option<&'a str>,
        limit: usize,
    ) -> BoxFuture<'a, Result<ListPage, Error>> {
        Box::pin(async move {
            validate::user(user)?;
            let (user, after) = (user.map(str::to_owned), after.map(str::to_owned));
            self.read(move |log| log.page(user.as_deref(), after.as_deref(), limit)).await
        })
    }

    fn summary<'a>(
        &'a self,
        conversation: &'a str,
    ) -> BoxFuture<'a, Result<Option<Summary>, Error>> {
        Box::pin(async move {
            validate::name("conversation", conversation)?;
            let conversation = conversation.to_owned();
            self.read(move |log| log.summary_of(&conversation)).await
        })
    }

    fn ids_beginning_with<'a>(
        &'a self,
        beginning: &'a str,
    ) -> BoxFuture<'a, Result<Vec<String>, Error>> {
        let beginning = beginning.to_owned();
        Box::pin(self.read(move |log| Ok(log.view.ids_beginning_with(&beginning))))
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
            let names = log.view.values().into_iter();
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
            // From the beginning, and beside other writers.
            let mut log = LogFiles::without_checkpoint(dir);
            log.catch_up()?;
            verify::verify(&mut log)
        }))
    }

    fn known_damage(&self) -> BoxFuture<'_, Result<Vec<Damage>, Error>> {
        Box::pin(self.read(|log| Ok(verify::known(log))))
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
        Box::pin(async move {
            // The pending work of an earlier hold of this store.
            if let Some(writer) = self.writer.started() {
                writer.finish().await;
            }
            let writer = Arc::downgrade(&self.writer);
            let hold =
                hold::hold(&self.shared.dir, conversation, writer, self.runs.is_worker()).await?;
            self.complete().await?;
            Ok(hold)
        })
    }

    fn shared_runs(&self) -> &dyn SharedRuns {
        &self.runs
    }
}
