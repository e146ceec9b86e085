//! sled, which keeps the index: values under keys, each with a checksum.

use std::fs::TryLockError;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use super::failure::IndexFailure;
use super::guard::guarded;
use crate::trust;

/// sled's files, open.
pub(crate) struct IndexEngine {
    /// `None` once closed.
    db: Option<sled::Db>,
    data: PathBuf,
}

impl IndexEngine {
    /// Opens the files in the folder `data`, and makes them if there are none.
    pub(crate) fn open(data: &Path) -> Result<Self, IndexFailure> {
        guarded(|| {
            let config = sled::Config::new().path(data).cache_capacity(CACHE).flush_every_ms(None);
            let db = config.open().map_err(|error| failure(&error))?;
            Ok(Self { db: Some(db), data: data.to_owned() })
        })
    }

    /// Returns a value that was put.
    pub(crate) fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, IndexFailure> {
        self.call(|db| {
            let Some(value) = db.get(key)? else { return Ok(Ok(None)) };
            let found = value
                .split_first_chunk()
                .filter(|(sum, content)| u32::from_le_bytes(**sum) == checksum(key, content));
            Ok(found.map(|(_, content)| Some(content.to_owned())).ok_or(IndexFailure::Damaged))
        })?
    }

    pub(crate) fn put(&self, key: &[u8], content: &[u8]) -> Result<(), IndexFailure> {
        let value = [&checksum(key, content).to_le_bytes()[..], content].concat();
        self.call(|db| db.insert(key, value).map(drop))
    }

    pub(crate) fn remove(&self, key: &[u8]) -> Result<(), IndexFailure> {
        self.call(|db| db.remove(key).map(drop))
    }

    /// Closes the files, and waits until sled's threads have closed them, too.
    pub(crate) fn close(mut self) -> Result<(), IndexFailure> {
        self.call(|db| db.flush().map(drop))?;
        let db = self.db.take();
        guarded(|| {
            drop(db);
            Ok(())
        })?;
        // sled holds a lock on this file for as long as it has it open.
        let file = trust::open_options().read(true).write(true).open(self.data.join("db"))?;
        for _ in 0..TRIES {
            match file.try_lock() {
                Ok(()) => return Ok(()),
                Err(TryLockError::WouldBlock) => thread::sleep(PAUSE),
                Err(TryLockError::Error(error)) => return Err(error.into()),
            }
        }
        Err(IndexFailure::Refused)
    }

    fn call<T>(&self, call: impl FnOnce(&sled::Db) -> sled::Result<T>) -> Result<T, IndexFailure> {
        let db = self.db.as_ref().ok_or(IndexFailure::Refused)?;
        guarded(|| call(db).map_err(|error| failure(&error)))
    }
}

impl Drop for IndexEngine {
    fn drop(&mut self) {
        let db = self.db.take();
        // After a failure sled may panic once more. The files have no seal, so nothing is lost.
        let _ = guarded(|| {
            drop(db);
            Ok(())
        });
    }
}

fn failure(error: &sled::Error) -> IndexFailure {
    match error {
        sled::Error::Io(_) => IndexFailure::Refused,
        _ => IndexFailure::Damaged,
    }
}

fn checksum(key: &[u8], content: &[u8]) -> u32 {
    crc32c::crc32c_append(crc32c::crc32c(key), content)
}

/// sled's cache, in bytes; its own default is 1 GiB.
const CACHE: u64 = 16 << 20;

/// Two seconds in all.
const TRIES: u32 = 400;
const PAUSE: Duration = Duration::from_millis(5);
