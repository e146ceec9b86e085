//! Shows the sessions of this machine that a server continues their runs.

use std::future::pending;
use std::time::Duration;

use silcrow_session::claim::{ActiveRun, ClaimAttempt};
use tokio::task::AbortHandle;
use tokio::time::sleep;

use super::ServedAgents;

/// The announcement of a server, which ends when this is dropped.
pub(super) struct KnownWorker(AbortHandle);

impl KnownWorker {
    /// Announces this process as one that continues the runs of a folder with this identity. While
    /// another one is, this one waits to take its place.
    pub(super) fn begin(agents: &ServedAgents, identity: &str) -> Self {
        let (place, root, address) = agents.whereabouts();
        let identity = identity.to_owned();
        let attempt = move || ActiveRun::attempt_work(&place, &identity, &root, address.as_deref());
        // The first attempt comes before the server prints its address, so that a session started then finds it.
        let mut known = attempt();
        let known = async move {
            loop {
                if let Ok(ClaimAttempt::Claimed(_claim)) = known {
                    return pending::<()>().await;
                }
                sleep(PAUSE).await;
                known = attempt();
            }
        };
        Self(tokio::spawn(known).abort_handle())
    }
}

impl Drop for KnownWorker {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// The time between two attempts.
const PAUSE: Duration = Duration::from_secs(2);
