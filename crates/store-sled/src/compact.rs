//! A store written anew without what sled has not given free.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use silcrow_store::{Error, ErrorKind};

use crate::engine::{Engine, broken};
use crate::fault::panicked;
use crate::folder::{Folder, failed};
use crate::keys;
use crate::reserve;
use crate::stage::Tree;

/// What [`SledStore::compact`](crate::SledStore::compact) has done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Compacted {
    /// How long the files were, in bytes.
    pub before: u64,
    /// How long they are now; as long as before where that is shorter than new ones would be.
    pub after: u64,
}

/// Blocks.
pub(crate) fn compact(dir: &Path) -> Result<Compacted, Error> {
    let folder = Folder::take(dir)?;
    if folder.is_new {
        let message = format!("there is no store in {} yet", dir.display());
        return Err(Error::new(ErrorKind::Format, message));
    }
    let before = size(&folder.data())?;
    // sled panics on some damaged files, and where a last sync fails.
    let written = catch_unwind(AssertUnwindSafe(|| write(&folder)));
    if let Err(error) = written.unwrap_or_else(|_| Err(panicked(dir))) {
        // As long as what was written is there.
        let is_full = reserve::is_full(dir);
        folder.clear_fresh()?;
        return Err(if is_full { reserve::full(dir, "compacted", error) } else { error });
    }
    let after = size(&folder.fresh())?;
    if after >= before {
        // sled leaves some room free even then, and had left less.
        folder.clear_fresh()?;
        return Ok(Compacted { before, after: before });
    }
    folder.replace()?;
    Ok(Compacted { before, after })
}

/// Writes all that is in the files of `folder` into fresh ones.
fn write(folder: &Folder) -> Result<(), Error> {
    let dir = &folder.dir;
    let old = Engine::open(folder)?;
    let new = Engine::make(folder)?;
    for (old, new) in Tree::all(&old.trees).iter().zip(Tree::all(&new.trees)) {
        for item in old {
            let (key, value) = item.map_err(|error| broken(dir, error))?;
            if key != keys::CLOCK {
                new.insert(key, value).map_err(|error| broken(dir, error))?;
            }
        }
    }
    // Last: files that lack what stands at their end then lack it, too, and the mark tells.
    if let Some(clock) = old.trees.meta.get(keys::CLOCK).map_err(|error| broken(dir, error))? {
        let kept = new.trees.meta.insert(keys::CLOCK, clock);
        kept.map_err(|error| broken(dir, error))?;
    }
    new.db.flush().map(|_| ()).map_err(|error| broken(dir, error))
}

fn size(data: &Path) -> Result<u64, Error> {
    let sizes = || {
        let entries = fs::read_dir(data)?;
        entries.map(|entry| Ok(entry?.metadata()?.len())).sum::<std::io::Result<u64>>()
    };
    sizes().map_err(|error| failed("measuring", data, error))
}
