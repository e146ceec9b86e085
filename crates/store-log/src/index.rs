//! The search index: the events in which each word occurs, so that a search reads only its hits.
//!
//! The log is the truth, and the index is made from it. This module and those below it use the
//! log's records and its view; nothing else in this crate uses the index, which sled keeps in the
//! folder `index`.
//!
//! ```text
//! missing ─► building ─► sealed ─► open ─► sealed …
//!               ▲                    │
//!               └── damaged, or not of this log: removed, and built from the whole log
//! ```
//!
//! The index is only used while it is open, by one process at a time, and sled never opens files
//! that differ in one bit from those that it closed ([`folder`]). If anything else fails, the
//! search reads the log instead.

mod block;
mod engine;
mod failure;
mod find;
mod folder;
mod guard;
mod pieces;
mod state;
mod update;

use std::io;
use std::path::Path;

use silcrow_store::search::{Hit, Query};

use self::engine::IndexEngine;
use self::failure::IndexFailure;
use self::folder::{FolderSeal, IndexFolder};
use self::state::IndexState;
use crate::names;
use crate::shared::Shared;

/// Searches with the index, which is created or updated first. Returns `None` if the log has fewer
/// than `least` bytes, if another process uses the index, or if the system does not allow an index.
pub(crate) fn search(
    shared: &Shared,
    query: &Query,
    least: u64,
    notify: &dyn Fn(&str),
) -> Option<Vec<Hit>> {
    let size = shared.log().ok()?.len();
    if size < least || guard::check_system().is_err() {
        return None;
    }
    let folder = IndexFolder::take(&shared.dir).ok()?;
    let why = match folder.seal() {
        FolderSeal::Whole => match search_in(&folder, shared, query) {
            Ok(hits) => return Some(hits),
            Err(IndexFailure::Refused) => return None,
            Err(IndexFailure::Damaged) => " again: it was damaged",
            Err(IndexFailure::OtherLog) => " again: it does not fit the log",
        },
        FolderSeal::Broken => " again: it was damaged, or left unfinished",
        FolderSeal::Missing => "",
    };
    folder.clear().ok()?;
    notify(&building(&shared.dir, why));
    search_in(&folder, shared, query).ok()
}

/// Removes the index, which may have words of conversations that were deleted. It stays if another
/// process uses it.
pub(crate) fn remove(dir: &Path) -> io::Result<()> {
    match dir.join(names::INDEX).exists() {
        true => IndexFolder::take(dir)?.clear(),
        false => Ok(()),
    }
}

/// Searches with the index in a folder, which is removed if that fails.
fn search_in(
    folder: &IndexFolder,
    shared: &Shared,
    query: &Query,
) -> Result<Vec<Hit>, IndexFailure> {
    folder.break_seal()?;
    let found = IndexEngine::open(&folder.data()).and_then(|engine| {
        let found = search_open(&engine, shared, query);
        engine.close().and(found)
    });
    let sealed = found.is_ok() && folder.set_seal().is_ok();
    if !sealed {
        // The remaining files have no seal, and are removed the next time.
        let _ = folder.clear();
    }
    found
}

fn search_open(
    engine: &IndexEngine,
    shared: &Shared,
    query: &Query,
) -> Result<Vec<Hit>, IndexFailure> {
    let mut state = IndexState::read(engine)?;
    if update::update(shared, engine, &mut state)? {
        state.write(engine)?;
    }
    find::find(shared, engine, &state, query)
}

fn building(dir: &Path, why: &str) -> String {
    format!("building the search index of {}{why}", dir.display())
}

/// The length of the log, in bytes, from which reading all of it takes longer than opening sled.
pub(crate) const WORTH_IT: u64 = 2 << 20;

#[cfg(test)]
mod tests;
