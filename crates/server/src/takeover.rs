//! A run whose server is gone, until another one continues it.
//!
//! ```text
//! the lease ends ─► a server or a worker takes the run ─► it is read here, or mirrored
//! ```
//!
//! Events that are stored meanwhile are read from the log. For its readers, a run that is not
//! continued in time has failed.

use std::sync::Arc;
use std::time::Duration;

use silcrow_event::{Entry, Event};
use silcrow_front::RunEnd;
use tokio::time::{Instant, sleep_until};

use crate::error::Error;
use crate::live_run::LiveRun;
use crate::server::Server;
use crate::source::RunPlace;
use crate::stored_end::stored_end;

/// Waits for the process that continues a run.
pub(crate) struct Takeover {
    server: Server,
    place: RunPlace,
    /// The head of the log before the run.
    began_after: u64,
    /// The end of the run if no server continues it.
    lost_end: RunEnd,
    /// The last time at which a server held the run.
    seen: Instant,
    /// The time since which no server holds the run, and none will take it.
    left: Option<Instant>,
    next_look: Instant,
}

/// The next message of a run that was lost.
pub(crate) enum TakeoverStep {
    /// Events that were stored.
    Stored(Vec<Entry>),
    /// The run, which a process has again.
    Run(Arc<LiveRun>),
    /// The run is over.
    Over(RunEnd),
}

impl Takeover {
    pub(crate) fn new(server: &Server, place: &RunPlace, began_after: u64) -> Self {
        let (server, place, now) = (server.clone(), place.clone(), Instant::now());
        let lost_end = unavailable();
        Self { server, place, began_after, lost_end, seen: now, left: None, next_look: now }
    }

    /// Names the outcome of the run according to the server that has lost it.
    pub(crate) fn after(self, end: Option<RunEnd>) -> Self {
        match end {
            Some(lost_end) => Self { lost_end, ..self },
            None => self,
        }
    }

    /// Waits for events after a position of the log. Cancel-safe.
    pub(crate) async fn next(&mut self, at: u64) -> TakeoverStep {
        loop {
            sleep_until(self.next_look).await;
            // A store that cannot be read now may be readable later.
            if let Ok(Some(step)) = self.look(at).await {
                return step;
            }
            self.next_look = Instant::now() + PAUSE;
            if self.seen.elapsed() > self.server.options.takeover {
                return TakeoverStep::Over(self.lost_end.clone());
            }
        }
    }

    async fn look(&mut self, at: u64) -> Result<Option<TakeoverStep>, Error> {
        let conversation = &*self.place.conversation;
        let run = self.server.readable(&self.place).await.filter(|run| !run.is_broken());
        // A run of a later prompt says nothing of this one.
        if let Some(run) = run.filter(|run| run.continues() || run.began_after <= self.began_after)
        {
            return Ok(Some(TakeoverStep::Run(run)));
        }
        let whose = self.server.whose(&self.place).await?;
        if whose == Whose::Process {
            self.seen = Instant::now();
        }
        let head = match self.server.store.head(conversation).await {
            Ok(head) => head,
            Err(_) if whose == Whose::Nobody => {
                return Ok(Some(TakeoverStep::Over(self.lost_end.clone())));
            }
            Err(error) => return Err(error.into()),
        };
        if head > at {
            let last = head.min(at.saturating_add(PAGE));
            let stored = self.server.store.read(conversation, at + 1..=last).await?;
            if !stored.is_empty() {
                return Ok(Some(TakeoverStep::Stored(stored)));
            }
        }
        if whose != Whose::Nobody {
            self.left = None;
            return Ok(None);
        }
        let left = self.left.get_or_insert_with(Instant::now).elapsed();
        // A server that had lost the database hands the run over once the database is back.
        let end = self.end().await;
        let is_final = !matches!(end, RunEnd::Failed { .. }) || left > HANDOVER;
        Ok(is_final.then_some(TakeoverStep::Over(end)))
    }

    /// Returns the end of the run, which no server holds any more.
    async fn end(&self) -> RunEnd {
        let latest = self.server.runs.latest(&self.place.conversation);
        let latest = latest.filter(|run| run.continues() && run.place.user == self.place.user);
        if let Some(end) = latest.and_then(|run| run.ended()).filter(|end| !is_lost(end, true)) {
            return end;
        }
        let log = self.server.entries(&self.place, self.began_after).await.unwrap_or_default();
        let later = log.iter().skip(1).position(begins_prompt).map_or(log.len(), |at| at + 1);
        match stored_end(&log[..later]) {
            RunEnd::Failed { .. } => self.lost_end.clone(),
            end => end,
        }
    }
}

impl Server {
    /// Returns the holder of the run of a conversation.
    pub(crate) async fn whose(&self, place: &RunPlace) -> Result<Whose, Error> {
        let (conversation, shared) = (&*place.conversation, self.store.shared_runs());
        if self.runs.busy_with(conversation).is_some()
            || self.source.elsewhere(place).is_some()
            || shared.holder(conversation).await?.is_some()
        {
            return Ok(Whose::Process);
        }
        Ok(if shared.waits(conversation).await? { Whose::Next } else { Whose::Nobody })
    }
}

/// The owner of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Whose {
    /// A process, which may have died a moment ago.
    Process,
    /// The process that takes it next.
    Next,
    Nobody,
}

/// Returns whether a run has ended because its server has lost it to another one, is about to, or did
/// not get it to continue it: another one was first, and may have ended it by now.
pub(crate) fn is_lost(end: &RunEnd, continues: bool) -> bool {
    let RunEnd::Failed { code, .. } = end else { return false };
    matches!(&**code, "store_fenced" | "store_unavailable")
        || continues && matches!(&**code, "store_locked" | "refused")
}

/// Returns the end of a run that no server continues.
pub(crate) fn unavailable() -> RunEnd {
    let message = "the server that ran this cannot be reached any more, and no other one has \
                   continued it; the conversation has what it stored"
        .to_owned();
    RunEnd::Failed { code: "unavailable".to_owned(), message }
}

/// Returns whether another run begins with an entry.
pub(crate) const fn begins_prompt(entry: &Entry) -> bool {
    matches!(entry.event, Event::User { steer: false, .. })
}

/// The time without a server after which readers consider an unfinished run failed.
const HANDOVER: Duration = Duration::from_secs(5);

/// The time between two looks.
const PAUSE: Duration = Duration::from_millis(400);

/// The number of events that are read at once.
const PAGE: u64 = 256;
