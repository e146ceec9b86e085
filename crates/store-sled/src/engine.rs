//! sled, with the files of an old store open.
//!
//! This module knows how sled is opened and closed. It does not know what is in the trees.

use std::path::Path;
use std::thread;
use std::time::Duration;

use silcrow_store::Error;

use crate::fault::{locked, stopped, unopened};
use crate::guard::{Panicked, guarded};

/// sled's files, open. Dropping it closes them.
#[derive(Debug)]
pub(crate) struct Engine(Option<Trees>);

/// The trees, whose keys and values `keys.rs` and `record.rs` describe.
#[derive(Debug)]
pub(crate) struct Trees {
    /// The events.
    pub(crate) ev: sled::Tree,
    /// The summaries, and what is counted over the whole store.
    pub(crate) meta: sled::Tree,
    /// The pieces of what is too long for one value.
    pub(crate) part: sled::Tree,
    /// The values by space and key.
    pub(crate) value: sled::Tree,
    _db: sled::Db,
}

impl Engine {
    /// Opens the files in the folder `data` of the store `dir`.
    pub(crate) fn open(dir: &Path, data: &Path) -> Result<Self, Error> {
        // sled panics on some damaged files, and if the system refuses it something.
        let opened = guarded(|| {
            let db = open_when_free(data)?;
            Ok(Trees {
                ev: db.open_tree("ev")?,
                meta: db.open_tree("meta")?,
                part: db.open_tree("part")?,
                value: db.open_tree("value")?,
                _db: db,
            })
        });
        match opened {
            Ok(Ok(trees)) => Ok(Self(Some(trees))),
            Ok(Err(error)) if is_held(&error) => {
                Err(locked(dir, "a program that ignores its file LOCK"))
            }
            Ok(Err(error)) => Err(unopened(dir, error)),
            Err(Panicked) => Err(stopped(dir, "opening")),
        }
    }

    pub(crate) fn trees(&self) -> &Trees {
        self.0.as_ref().expect("the trees are there until they are dropped")
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        // sled panics if its last sync fails. Nothing was written that matters.
        let _ = guarded(|| self.0 = None);
    }
}

/// Opens sled's files, which a process that ends may still have open for a moment: a child that is
/// being started has a copy of the descriptor until it runs its program.
fn open_when_free(data: &Path) -> sled::Result<sled::Db> {
    let mut tries = 0;
    loop {
        // No background thread flushes, because nothing is written.
        let config = sled::Config::new().path(data).cache_capacity(CACHE).flush_every_ms(None);
        match config.open() {
            Err(error) if is_held(&error) && tries < TRIES => {
                tries += 1;
                thread::sleep(PAUSE);
            }
            opened => return opened,
        }
    }
}

fn is_held(error: &sled::Error) -> bool {
    matches!(error, sled::Error::Io(error) if error.to_string().contains("could not acquire lock"))
}

/// sled's cache, in bytes; its own default is 1 GiB.
const CACHE: u64 = 64 << 20;

/// Two seconds in all.
const TRIES: u32 = 400;
const PAUSE: Duration = Duration::from_millis(5);
