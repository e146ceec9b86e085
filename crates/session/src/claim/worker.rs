//! Servers and workers that continue the runs of a folder, as others on this machine find them.

use std::path::Path;

use super::{ActiveProcess, ActiveRun, ClaimAttempt};
use crate::error::Error;
use crate::store::StorePlace;

impl ActiveRun {
    /// While the claim lives, shows others that this process continues abandoned runs in the folder
    /// `root`, which has this identity. One process says so at a time.
    ///
    /// # Errors
    ///
    /// Returns an error if the store's folder cannot be written.
    pub fn attempt_work(
        place: &StorePlace,
        identity: &str,
        root: &Path,
        address: Option<&str>,
    ) -> Result<ClaimAttempt, Error> {
        Self::attempt_at(place, &name(identity), root, address)
    }

    /// Returns a process of this machine that continues abandoned runs in the folder with this
    /// identity, or `None` if none does.
    pub fn find_worker(store: &Path, identity: &str) -> Option<ActiveProcess> {
        Self::find(store, &name(identity))
    }
}

/// Returns a name that is longer than the id of any conversation.
fn name(identity: &str) -> String {
    format!("{:<257}{identity}", "worker")
}
