//! Occasional maintenance of a store: compacting and repairing it.

use std::path::Path;
use std::sync::Arc;

use silcrow_store::Error;

use crate::backup::{self, Backup};
use crate::compact::{self, Compaction};
use crate::fault::{ended, no_thread};
use crate::index;
use crate::mend::{self, Mended};
use crate::store::LogStore;
use crate::worker::Worker;

impl LogStore {
    /// Returns the space of deleted data to the system while others read and write. It starts with
    /// the segment that has the least live data; rewriting that segment needs space, which the log
    /// reserves in advance in case the disk is full.
    ///
    /// The search index may contain words of deleted data, so it is removed first, unless another
    /// process is using it. The next search rebuilds it.
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

    /// Copies the store to the folder `to`, which must be empty or missing, while others read and
    /// write. The copy contains everything acknowledged at one moment, and the folders `spills` and
    /// `changes` if they exist. `progress` gets the number of bytes of the log copied so far, and
    /// the approximate total.
    ///
    /// Damage is copied as it is. A backup that fails or is killed leaves no store in `to`.
    ///
    /// # Errors
    ///
    /// - [`Refused`](silcrow_store::ErrorKind::Refused): there is no store, `to` is not empty, or it
    ///   is a part of the store.
    /// - [`Locked`](silcrow_store::ErrorKind::Locked): another process writes and does not end.
    /// - [`Io`](silcrow_store::ErrorKind::Io): the system refused something.
    pub async fn backup(
        &self,
        to: impl AsRef<Path>,
        progress: impl Fn(u64, u64) + Send + 'static,
    ) -> Result<Backup, Error> {
        let to = to.as_ref().to_owned();
        self.work_apart(move |dir| backup::backup(dir, &to, &progress)).await
    }

    /// Writes the intact records of damaged segments to new ones, and keeps the damaged files in
    /// the folder `damaged`. Readers then skip the lost events. A store without damage does not
    /// change.
    ///
    /// # Errors
    ///
    /// - [`Locked`](silcrow_store::ErrorKind::Locked): another process writes and does not end.
    /// - [`Io`](silcrow_store::ErrorKind::Io): the system refused something.
    pub async fn mend(&self) -> Result<Mended, Error> {
        self.work_apart(mend::mend).await
    }

    /// Does something that takes long on its own thread.
    pub(crate) async fn work_apart<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Path) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let dir = self.shared.dir.clone();
        let thread = Worker::start("silcrow-store-work").map_err(|error| no_thread(&dir, error))?;
        let done = thread.run(move || work(&dir)).await;
        done.unwrap_or_else(|| Err(ended(&self.shared.dir)))
    }
}
