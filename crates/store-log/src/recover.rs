//! The state of a store before a command: remains of a killed process, and damage.
//!
//! This module uses no files. The commit completes an interrupted group, and the view has the
//! damage.

use std::sync::Arc;

use silcrow_store::verify::Damage;
use silcrow_store::{Error, ErrorKind};

use crate::shared::Shared;
use crate::stage::Change;
use crate::store::LogStore;
use crate::verify;

impl LogStore {
    /// Completes changes that a killed process had written but not yet acknowledged.
    ///
    /// The first change also does this. A program that reads before it writes should do it first,
    /// so that nothing appears in between, which would be a conflict.
    ///
    /// # Errors
    ///
    /// - [`Locked`](ErrorKind::Locked): another process writes and does not end.
    /// - [`Io`](ErrorKind::Io): the system refused something.
    pub async fn recover(&self) -> Result<(), Error> {
        match self.submit(Change::nothing()).await {
            Err(error) if error.kind() != ErrorKind::Conflict => Err(error),
            _ => Ok(()),
        }
    }

    /// Completes the write of a killed process, if anything follows the mark. The next append finds
    /// the head that is read afterwards.
    pub(crate) async fn complete(&self) -> Result<(), Error> {
        let is_complete = self.work(|shared| {
            drop(shared.log()?);
            shared.log_for_writing().is_complete()
        });
        if is_complete.await? { Ok(()) } else { self.recover().await }
    }

    /// Returns a handle for reading the damage of the store, even when the store is gone.
    pub fn damage_watch(&self) -> DamageWatch {
        DamageWatch { shared: Arc::clone(&self.shared) }
    }
}

/// The known damage of a store. A program that skips damage asks for it at the end, when the store
/// may already be dropped.
#[derive(Clone, Debug)]
pub struct DamageWatch {
    shared: Arc<Shared>,
}

impl DamageWatch {
    /// Returns the damage that was found while the store was opened and read, and since. Everything
    /// else is as it was written, unless it was damaged later:
    /// [`verify`](silcrow_store::Store::verify) looks again. Of a store that was never read nothing
    /// is known. Blocks.
    ///
    /// # Errors
    ///
    /// [`Io`](ErrorKind::Io): the system refused something.
    pub fn known(&self) -> Result<Vec<Damage>, Error> {
        let is_unread = self.shared.log_for_writing().is_unread();
        match is_unread {
            true => Ok(Vec::new()),
            false => self.shared.read(|log| Ok(verify::known(log))),
        }
    }
}
