//! The state of a store before a command: what a killed process left behind, and what is damaged.
//!
//! This module knows no files. The commit completes an interrupted group, and the view knows the
//! damage.

use silcrow_store::verify::Damage;
use silcrow_store::{Error, ErrorKind};

use crate::stage::Change;
use crate::store::LogStore;
use crate::verify;

impl LogStore {
    /// Completes what a process that was killed had written and not yet acknowledged.
    ///
    /// The first change does this, too. A program that reads before it writes does it first, so
    /// that nothing appears in between: it would be a conflict.
    ///
    /// # Errors
    ///
    /// - [`Locked`](ErrorKind::Locked): another process writes and does not end.
    /// - [`Io`](ErrorKind::Io): the system refused something.
    pub async fn recover(&self) -> Result<(), Error> {
        // A change that changes nothing takes the lock, too.
        let (conversation, events) = ("nothing".to_owned(), Vec::new());
        match self.submit(Change::Append { conversation, expected: 0, events }).await {
            Err(error) if error.kind() != ErrorKind::Conflict => Err(error),
            _ => Ok(()),
        }
    }

    /// Returns the damage that was found while the store was opened and read. Everything else is
    /// what was written, unless it was damaged since: [`verify`](silcrow_store::Store::verify)
    /// looks again.
    ///
    /// # Errors
    ///
    /// [`Io`](ErrorKind::Io): the system refused something.
    pub async fn known_damage(&self) -> Result<Vec<Damage>, Error> {
        self.read(|log| Ok(verify::known(log))).await
    }
}
