//! A store written anew without what sled has not given free.

use std::cell::Cell;
use std::fs;
use std::path::Path;

use silcrow_store::{Error, ErrorKind};

use crate::engine::{Engine, broken};
use crate::fault::words;
use crate::folder::{Folder, failed};
use crate::guard::{check_system, guarded, stopped};
use crate::keys;
use crate::reserve;
use crate::stage::Tree;

/// What [`SledStore::compact`](crate::SledStore::compact) has done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "a length before and one after")]
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
    if let Err(error) = write(&folder) {
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

/// Writes all that is in the files of `folder` into fresh ones. What fails while it is written says
/// nothing of the files that are there.
fn write(folder: &Folder) -> Result<(), Error> {
    let dir = &folder.dir;
    let old = Engine::open(folder)?;
    let is_reading = Cell::new(false);
    // sled panics on some damaged files, and where a write or a last sync fails.
    let written = guarded(|| {
        let new = Engine::make(folder).map_err(|error| match error.kind() {
            ErrorKind::Io => error,
            _ => check_system(dir).err().unwrap_or_else(|| unwritten(dir, None)),
        })?;
        copy(dir, old, &new, &is_reading)?;
        new.db.flush().map(|_| ()).map_err(|error| unwritten(dir, Some(error)))
    });
    written.unwrap_or_else(|_| match is_reading.get() {
        true => Err(stopped(dir, "reading")),
        false => Err(unwritten(dir, None)),
    })
}

fn copy(dir: &Path, old: Engine, new: &Engine, is_reading: &Cell<bool>) -> Result<(), Error> {
    let read = |next: &mut dyn FnMut() -> Option<sled::Result<SledItem>>| {
        is_reading.set(true);
        let item = next().transpose().map_err(|error| broken(dir, error));
        is_reading.set(false);
        item
    };
    let put = |tree: &sled::Tree, (key, value): SledItem| {
        tree.insert(key, value).map(|_| ()).map_err(|error| unwritten(dir, Some(error)))
    };
    for (from, to) in Tree::all(&old.trees).iter().zip(Tree::all(&new.trees)) {
        let mut items = from.iter();
        while let Some(item) = read(&mut || items.next())? {
            if item.0 != keys::CLOCK {
                put(&to, item)?;
            }
        }
    }
    // Last: files that lack what stands at their end then lack it, too, and the mark tells.
    let clock = || old.trees.meta.get(keys::CLOCK).transpose();
    let clock = read(&mut || Some(clock()?.map(|clock| (keys::CLOCK.into(), clock))))?;
    clock.map_or(Ok(()), |clock| put(&new.trees.meta, clock))
}

/// A key and its value.
type SledItem = (sled::IVec, sled::IVec);

/// The error for new files that could not be written.
fn unwritten(dir: &Path, error: Option<sled::Error>) -> Error {
    let why = match &error {
        Some(sled::Error::Io(error)) => format!(": {}", words(error)),
        _ => String::new(),
    };
    let message = format!(
        "writing the files of the store {} anew failed{why}; the store is as it was: see to the \
         disk, then try again",
        dir.display()
    );
    let unwritten = Error::new(ErrorKind::Io, message);
    match error {
        Some(error) => unwritten.with_source(error),
        None => unwritten,
    }
}

fn size(data: &Path) -> Result<u64, Error> {
    let sizes = || {
        let entries = fs::read_dir(data)?;
        entries.map(|entry| Ok(entry?.metadata()?.len())).sum::<std::io::Result<u64>>()
    };
    sizes().map_err(|error| failed("measuring", data, error))
}
