//! The processes that run conversations: on this machine, or on another one that shares the database.

use std::path::PathBuf;
use std::sync::Arc;

use silcrow_sanitize::sanitize_line;
use silcrow_session::claim::ActiveRun;
use silcrow_store::{Error, HeldRun, Holder, Store};

/// Finds the process that runs a conversation.
#[derive(Clone)]
pub(super) struct RunsElsewhere {
    /// The folder of the data on this machine.
    pub(super) folder: PathBuf,
    pub(super) store: Arc<dyn Store>,
}

/// A process that runs a conversation.
pub(super) struct RunElsewhere {
    /// A phrase about its place, such as `at work in NAME`.
    pub(super) whereabouts: String,
    /// A phrase about it, such as `at work in NAME`.
    pub(super) description: String,
}

impl RunsElsewhere {
    /// Returns the process that runs a conversation, or is to. One of another machine that has died is
    /// returned until its time is up.
    pub(super) async fn find(&self, conversation: &str) -> Result<Option<RunElsewhere>, Error> {
        if let Some(process) = self.here(conversation) {
            return Ok(Some(process));
        }
        let holder = self.store.shared_runs().holder(conversation).await?;
        if let Some(holder) = &holder {
            return Ok(Some(far(holder)));
        }
        let is_waiting = self.store.shared_runs().waits(conversation).await?;
        let waits = "left to a server, which has not taken it yet".to_owned();
        Ok(is_waiting.then(|| RunElsewhere { whereabouts: waits.clone(), description: waits }))
    }

    /// Returns the process that runs a conversation, if it is on this machine or holds one of these.
    pub(super) fn listed(&self, conversation: &str, held: &[HeldRun]) -> Option<RunElsewhere> {
        let one = held.iter().find(|one| one.conversation == conversation);
        self.here(conversation).or_else(|| one.map(|one| far(&one.holder)))
    }

    fn here(&self, conversation: &str) -> Option<RunElsewhere> {
        let process = ActiveRun::find(&self.folder, conversation)?;
        let whereabouts = format!("at work in {}", process.place());
        Some(RunElsewhere { whereabouts, description: process.description() })
    }
}

/// Returns the known facts about a process of another machine.
fn far(holder: &Holder) -> RunElsewhere {
    let whereabouts = format!("at work in {}", sanitize_line(&holder.name));
    RunElsewhere { whereabouts: whereabouts.clone(), description: whereabouts }
}
