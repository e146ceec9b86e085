//! The work queue: runs that wait for any process of the store, and are continued here.
//!
//! Such a run got its answers, or the process that had it is gone or has handed it over. Calls that
//! may have run are reported as unknown to the model, and those that had not started never start.

use std::time::Duration;

use silcrow_agent::{ParkedRun, give_up};
use silcrow_event::Event;
use silcrow_store::WaitingRun;
use silcrow_store::search::SearchedUser;
use tokio::time::sleep;

use crate::error::Error;
use crate::server::Server;
use crate::source::RunPlace;
use crate::work::RunCause;

impl Server {
    /// Continues the runs of these users that wait in the store, until the server stops. As many are
    /// at work at once as the [options](crate::Options::runs) allow. A run that was offered for another
    /// [place](crate::Options::place) stays.
    ///
    /// In a store whose processes do not see each other, this does nothing until the server stops.
    pub async fn work_off(&self, users: SearchedUser) {
        loop {
            tokio::select! {
                biased;
                () = self.closing.cancelled() => return,
                () = self.take_waiting(&users) => {}
            }
        }
    }

    /// Takes the waiting runs, and pauses once there are no more.
    async fn take_waiting(&self, users: &SearchedUser) {
        while self.runs.has_room() {
            // A store that cannot be used now may be usable later.
            let next = self.store.shared_runs().next(users, &self.options.place).await;
            let Ok(Some(waiting)) = next else { break };
            // A run that does not begin is tried again later, by any process.
            let _ = self.continue_waiting(waiting).await;
        }
        sleep(PAUSE).await;
    }

    async fn continue_waiting(&self, waiting: WaitingRun) -> Result<(), Error> {
        let WaitingRun { conversation, user, is_orphaned, is_abandoned } = waiting;
        let place = RunPlace::new(conversation).with_user(user);
        if self.is_answered(&place.conversation, is_orphaned).await? {
            // Its owner was lost after the answer, and only the lease is left.
            self.store.hold(&place.conversation).await?.release().await;
            self.let_rest(&place.conversation).await;
            return Ok(());
        }
        if is_abandoned {
            let user = place.user.as_deref();
            give_up(&*self.store, &place.conversation, user, GIVEN_UP).await?;
            self.let_rest(&place.conversation).await;
            return Ok(());
        }
        let reservation = self.runs.reserve(&place.conversation, place.user.as_deref())?;
        let prepared = self.prepared(&place).await?;
        let user = place.user.as_deref();
        let parked = ParkedRun::read(&*self.store, &place.conversation, user).await?;
        let asked = parked.questions();
        if !is_orphaned && asked.iter().any(|asked| asked.answer.is_none()) {
            return Ok(());
        }
        let cause = RunCause::answers(&place.conversation, asked);
        drop(parked);
        self.begin(reservation, prepared, place.clone(), cause).await?;
        Ok(())
    }

    /// Returns whether the last prompt of a conversation has its answer. One that a server cut when it
    /// handed the run over is none.
    async fn is_answered(&self, conversation: &str, is_orphaned: bool) -> Result<bool, Error> {
        let log = self.store.read(conversation, 1..=u64::MAX).await?;
        let last = log.iter().rev().find_map(|entry| match &entry.event {
            Event::User { steer: false, .. } => Some(false),
            Event::Respond(said) if said.last => Some(true),
            Event::Cancelled { .. } if !is_orphaned => Some(false),
            _ => None,
        });
        Ok(last.unwrap_or_default())
    }

    /// Keeps other processes from continuing a run that is over. One that waits for answers is not.
    pub(crate) async fn let_rest(&self, conversation: &str) {
        // If this fails, the process that takes the run finds its answer and ends.
        let _ = self.store.shared_runs().withdraw(conversation).await;
    }

    /// Lets another process continue a run that this server has stopped to stop itself.
    pub(crate) async fn hand_over(&self, conversation: &str) {
        // A run that no server continues waits for the person.
        let _ = self.store.shared_runs().request(conversation).await;
    }
}

/// The reason for the end of a run whose owners were gone too often.
const GIVEN_UP: &str = "the run was given up: three processes in a row were lost while they ran it, and \
                        none got any further; send a prompt to continue";

/// The time between two looks at the queue.
const PAUSE: Duration = Duration::from_millis(400);
