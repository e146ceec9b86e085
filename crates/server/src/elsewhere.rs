//! Runs that are stopped and steered, here or in another process, and those that wait here while
//! another process takes the answers.
//!
//! A message to a run, and an answer to a question, are events that the other process finds in the
//! store. Orders, which stop a run or change its budget, pass through the store, too.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use futures_util::stream::select_all;
use futures_util::{FutureExt as _, StreamExt as _};
use silcrow_agent::{ParkedRun, RunOrder, SteerMessage, steer_stored};
use silcrow_event::{Event, SpendingLimit};
use silcrow_exec::AccountKind;
use tokio::time::timeout;

use crate::error::{Error, ErrorKind};
use crate::live_run::LiveRun;
use crate::served_run::ServedRun;
use crate::server::Server;
use crate::source::RunPlace;
use crate::work::RunCause;

impl Server {
    /// Stops the run at work in a conversation of a user, wherever it runs, if it is the given one,
    /// and returns the run if it is here.
    pub(crate) async fn stop_run(
        &self,
        place: &RunPlace,
        meant: Option<&str>,
    ) -> Result<Option<ServedRun>, Error> {
        let stale = match self.at_work(place, meant) {
            Ok(run) => {
                run.stop();
                return Ok(Some(run));
            }
            Err(stale) => stale,
        };
        if let Some(meant) = meant {
            // Only a mirror shows which run another server has.
            let run = self.readable(place).await;
            run.filter(|run| run.id == meant).ok_or(stale)?;
            return self.order(place, RunOrder::Stop).await.map(|()| None);
        }
        self.order(place, RunOrder::Stop).await.map(|()| None)
    }

    /// Changes the limit of an account of the run at work in a conversation of a user, wherever that
    /// is, and returns the run if it is here.
    pub(crate) async fn limit(
        &self,
        place: &RunPlace,
        account: AccountKind,
        limit: SpendingLimit,
    ) -> Result<Option<ServedRun>, Error> {
        match self.at_work(place, None) {
            Ok(served) => {
                let handle = served.run.handle.get().ok_or_else(Error::not_begun)?;
                handle.set_limit(account, limit).await;
                Ok(Some(served))
            }
            Err(_) => self.order(place, RunOrder::Limit { account, limit }).await.map(|()| None),
        }
    }

    /// Sends an order to the run that another process has.
    async fn order(&self, place: &RunPlace, order: RunOrder) -> Result<(), Error> {
        let (id, user) = (&place.conversation, place.user.as_deref());
        let stale = || Error::new(ErrorKind::Stale, "no run is at work in this conversation");
        self.summary(user, id).await.map_err(|_| stale())?;
        if order.send(&*self.store, id, user).await? {
            return Ok(());
        }
        Err(match self.other_process(place).await {
            Some(other) => {
                let why =
                    format!("{other} runs this conversation, and cannot be reached from here");
                Error::new(ErrorKind::Busy, why)
            }
            None => stale(),
        })
    }

    /// Sends a message to the run at work in a conversation of a user, wherever that is, and returns
    /// the run if it is here.
    pub(crate) async fn steer(
        &self,
        place: &RunPlace,
        text: &str,
        drops_calls: bool,
    ) -> Result<Option<ServedRun>, Error> {
        match self.at_work(place, None) {
            Ok(run) => {
                let message = SteerMessage::new(text);
                run.steer(if drops_calls { message.with_dropped_calls() } else { message }).await?;
                Ok(Some(run))
            }
            Err(stale) => {
                let Some(other) = self.other_process(place).await else { return Err(stale) };
                let refused = |why: String| Err(Error::new(ErrorKind::Stale, why));
                if text.trim().is_empty() {
                    return refused("the message is empty; say what you want".to_owned());
                }
                if drops_calls {
                    return refused(format!(
                        "{other} runs this conversation, and its calls cannot be dropped from here; \
                         send the message without drop_calls"
                    ));
                }
                let text = self.source.masked(text.to_owned());
                let user = place.user.as_deref();
                steer_stored(&*self.store, &place.conversation, user, text.into()).await?;
                Ok(None)
            }
        }
    }

    /// Returns the run that is at work here in a conversation of a user, if it is the given one.
    fn at_work(&self, place: &RunPlace, meant: Option<&str>) -> Result<ServedRun, Error> {
        let run = self.runs.at_work(&place.conversation);
        let run = run.filter(|run| run.place.user == place.user);
        let run = run.filter(|run| meant.is_none_or(|meant| meant == run.id));
        let Some(run) = run else {
            let why = match meant {
                Some(run) => format!("the run {run:?} is not at work here any more"),
                None => "no run is at work in this conversation".to_owned(),
            };
            return Err(Error::new(ErrorKind::Stale, why));
        };
        Ok(ServedRun { run, server: self.clone() })
    }

    /// Says which other process runs a conversation of a user, if one does.
    pub async fn other_process(&self, place: &RunPlace) -> Option<String> {
        self.summary(place.user.as_deref(), &place.conversation).await.ok()?;
        if let Some(other) = self.source.elsewhere(place) {
            return Some(other);
        }
        let holder = self.store.shared_runs().holder(&place.conversation).await.ok()?;
        holder.map(|holder| holder.name)
    }

    /// Returns the conversations that other processes have, each with the process.
    pub(crate) async fn held_elsewhere(&self) -> Result<HashMap<String, String>, Error> {
        let held = self.store.shared_runs().held().await?;
        Ok(held.into_iter().map(|held| (held.conversation, held.holder.name)).collect())
    }

    /// Waits until another process has stored the answers that a run waits for, and continues it.
    /// Returns also once the conversation has continued otherwise, or is gone.
    pub(crate) fn continue_answered(self, run: Arc<LiveRun>) -> BoxFuture<'static, ()> {
        async move {
            let mut begun = self.runs.begun();
            let has_next = || {
                let latest = self.runs.latest(&run.place.conversation);
                latest.is_some_and(|latest| latest.id != run.id)
            };
            let next = async {
                // The wait cannot fail, because the runs hold the sender.
                while !has_next() && begun.changed().await.is_ok() {}
            };
            tokio::select! {
                biased;
                () = self.closing.cancelled() => {}
                // The conversation was deleted.
                () = run.cancel.cancelled() => {}
                () = next => {}
                // A conversation that cannot be read is not continued.
                _ = self.answered(&run.place) => {}
            }
        }
        .boxed()
    }

    async fn answered(&self, place: &RunPlace) -> Result<(), Error> {
        let user = place.user.as_deref();
        let asked = ParkedRun::read(&*self.store, &place.conversation, user).await?;
        let inside = asked.questions().iter().map(|asked| asked.conversation.clone());
        // The questions of an agent in a call are in its own log.
        let logs: BTreeSet<_> = inside.chain([place.conversation.clone()]).collect();
        let mut changes = Vec::new();
        for log in &logs {
            changes.push(self.store.follow(log, self.store.head(log).await?));
        }
        let mut changes = select_all(changes);
        loop {
            let parked = ParkedRun::read(&*self.store, &place.conversation, user).await?;
            let is_answered = parked.questions().iter().all(|asked| asked.answer.is_some());
            let mut patience = Duration::MAX;
            if parked.questions().is_empty() {
                return Ok(());
            }
            if is_answered {
                match self.resume(place).await {
                    Err(error) if error.is_retryable() => patience = PAUSE,
                    resumed => return resumed,
                }
            }
            let decides = async {
                while let Some(entry) = changes.next().await {
                    if matches!(entry?.event, Event::Approval(_) | Event::User { .. }) {
                        break;
                    }
                }
                Ok::<_, Error>(())
            };
            // After the pause it is tried again.
            timeout(patience, decides).await.unwrap_or(Ok(()))?;
        }
    }

    /// Continues a run whose questions are answered.
    async fn resume(&self, place: &RunPlace) -> Result<(), Error> {
        let reservation = self.runs.reserve(&place.conversation, place.user.as_deref())?;
        let prepared = self.prepared(place).await?;
        let user = place.user.as_deref();
        let parked = ParkedRun::read(&*self.store, &place.conversation, user).await?;
        let asked = parked.questions();
        if asked.is_empty() || asked.iter().any(|asked| asked.answer.is_none()) {
            return Ok(());
        }
        let cause = RunCause::answers(&place.conversation, asked);
        drop(parked);
        self.begin(reservation, prepared, place.clone(), cause).await?;
        Ok(())
    }
}

/// The time after which a run that another process holds up is tried again.
const PAUSE: Duration = Duration::from_secs(1);
