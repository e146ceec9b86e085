//! sled, held at arm's length.

use std::fs::File;
use std::path::Path;
use std::thread;
use std::time::Duration;

use silcrow_store::{Error, ErrorKind};

use crate::fault::words;
use crate::folder::Folder;
use crate::guard::{Panicked, check_system, guarded, stopped};
use crate::lock::locked;
use crate::trust::open_options;

/// sled's files, open.
#[derive(Debug)]
pub(crate) struct Engine {
    pub(crate) trees: Trees,
    pub(crate) db: sled::Db,
    /// Our own handle of sled's data file: sled's flush is no sync.
    pub(crate) file: File,
}

/// The trees, whose keys and values `keys.rs` and `record.rs` describe.
#[derive(Clone, Debug)]
pub(crate) struct Trees {
    /// Events.
    pub(crate) ev: sled::Tree,
    /// What is known of each log.
    pub(crate) meta: sled::Tree,
    /// Pieces of what is too long for one value.
    pub(crate) part: sled::Tree,
    /// Values by space and key.
    pub(crate) value: sled::Tree,
}

impl Engine {
    /// Opens the files in `folder`, and makes them if there are none. Blocks.
    pub(crate) fn open(folder: &Folder) -> Result<Self, Error> {
        if folder.is_new {
            let made = Self::make(folder)?;
            made.db.flush().map_err(|error| broken(&folder.dir, error))?;
            drop(made);
            folder.settle()?;
        }
        start(&folder.dir, &folder.data(), Some(FLUSH_EVERY_MS))
    }

    /// Makes empty files where [`Folder::settle`] and [`Folder::replace`] take them from. Blocks.
    pub(crate) fn make(folder: &Folder) -> Result<Self, Error> {
        folder.make_fresh()?;
        start(&folder.dir, &folder.fresh(), None)
    }
}

/// The error for what sled reports.
pub(crate) fn broken(dir: &Path, error: sled::Error) -> Error {
    let dir = dir.display();
    match error {
        sled::Error::Io(error) => {
            let message = format!(
                "the disk under the store {dir} failed: {}; see to it, then try again",
                words(&error)
            );
            Error::new(ErrorKind::Io, message).with_source(error)
        }
        // One of its threads panicked, say.
        error @ (sled::Error::ReportableBug(_) | sled::Error::Unsupported(_)) => {
            let message = format!(
                "the database under the store {dir} stopped; nothing says that its files are \
                 damaged: open it again"
            );
            Error::new(ErrorKind::Unavailable, message).with_source(error)
        }
        error => Error::new(ErrorKind::Damaged, format!("{} ({error})", damaged(&dir.to_string())))
            .with_source(error),
    }
}

fn start(dir: &Path, data: &Path, flush_every_ms: Option<u64>) -> Result<Engine, Error> {
    check_system(dir)?;
    // A damaged log can make sled panic, and so can the system.
    let opened = guarded(|| {
        let db = open_when_free(data, flush_every_ms)?;
        let trees = Trees {
            ev: db.open_tree("ev")?,
            meta: db.open_tree("meta")?,
            part: db.open_tree("part")?,
            value: db.open_tree("value")?,
        };
        let file = open_options().read(true).write(true).open(data.join("db"))?;
        Ok(Engine { trees, db, file })
    });
    match opened {
        Ok(Ok(engine)) => Ok(engine),
        Ok(Err(error)) if is_held(&error) => Err(locked(dir, "a program that does not heed LOCK")),
        Ok(Err(error)) => Err(broken(dir, error)),
        Err(Panicked) => Err(stopped(dir, "opening")),
    }
}

/// We hold LOCK, so whoever holds sled's own lock is about to let go: it is given back with the
/// last copy of its descriptor, and a child that this process is just starting has one until it
/// runs its program.
fn open_when_free(data: &Path, flush_every_ms: Option<u64>) -> sled::Result<sled::Db> {
    let mut tries = 0;
    loop {
        let opened = sled::Config::new()
            .path(data)
            .cache_capacity(CACHE)
            .flush_every_ms(flush_every_ms)
            .open();
        match opened {
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

fn damaged(dir: &str) -> String {
    format!(
        "the files of the store {dir} are damaged and it cannot be opened; put a copy in their \
         place, or move the folder away and begin anew"
    )
}

/// In bytes; sled's own default is 1 GiB.
const CACHE: u64 = 64 << 20;

/// sled's background thread, which cleans up and syncs.
const FLUSH_EVERY_MS: u64 = 500;

/// Two seconds in all.
const TRIES: u32 = 400;
const PAUSE: Duration = Duration::from_millis(5);
