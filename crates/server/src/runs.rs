//! The runs of a server: one per conversation at a time, and a limited number at once.
//!
//! A conversation is *free*, then *reserved* while its run is prepared, then *at work*, then *over*.
//! The run of a conversation that is over is kept for readers which connect again, until the next run
//! begins or until too many others are over.

mod mirrored;
mod queued;

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use silcrow_front::RunEnd;
use tokio::sync::watch;

use crate::error::{Error, ErrorKind};
use crate::journal::UserJournal;
use crate::live_run::LiveRun;
use crate::meters::ServerMeters;
use crate::options::{LiveLimits, Options};
use crate::random::random_name;
use crate::run_queue::RunQueue;

pub(crate) use self::mirrored::{FollowedConversation, MirrorPlace};

/// The runs of a server.
pub(crate) struct Runs {
    most: usize,
    most_of_user: usize,
    most_queued: usize,
    queue_time: Duration,
    queue: RunQueue,
    meters: ServerMeters,
    limits: LiveLimits,
    state: Mutex<RunsState>,
    /// Changes when a run has begun, here or as a mirror.
    begun: watch::Sender<u64>,
    started: AtomicU64,
    /// The number of runs that are reserved or at work.
    busy: watch::Sender<usize>,
}

#[derive(Default)]
struct RunsState {
    places: HashMap<String, PlacedRun>,
    /// The conversations whose runs are over, the oldest first, with the ids of the runs.
    over: VecDeque<(String, String)>,
    journals: HashMap<Option<String>, Arc<UserJournal>>,
    /// The runs of other servers that are read here; none while its server is asked.
    mirrors: HashMap<String, Option<Arc<LiveRun>>>,
    /// The number of readers of each conversation.
    followed: HashMap<String, usize>,
    /// Whether the runs of other servers are watched.
    is_watching: bool,
    is_closed: bool,
    /// Whether all runs were cancelled, including those that are still being prepared.
    is_cancelled: bool,
}

struct PlacedRun {
    id: String,
    user: Option<String>,
    /// The run, once it is prepared.
    run: Option<Arc<LiveRun>>,
    is_busy: bool,
}

/// The right to begin a run in a conversation. Dropped without a run, it frees the conversation.
pub(crate) struct RunReservation<'a> {
    runs: &'a Runs,
    pub(crate) id: String,
    conversation: String,
    is_used: bool,
    /// The run before, whose messages may have positions after the last stored event.
    pub(crate) earlier: Option<Arc<LiveRun>>,
}

impl Runs {
    pub(crate) fn new(options: &Options) -> Self {
        Self {
            most: options.runs,
            most_of_user: options.runs_of_user,
            most_queued: options.queued_runs,
            queue_time: options.queue_time,
            queue: RunQueue::default(),
            meters: ServerMeters::default(),
            limits: options.live(),
            state: Mutex::default(),
            begun: watch::Sender::default(),
            started: AtomicU64::default(),
            busy: watch::Sender::default(),
        }
    }

    /// Returns the counters of the runs.
    pub(crate) const fn meters(&self) -> &ServerMeters {
        &self.meters
    }

    /// Returns the prompts that wait for their place.
    pub(crate) const fn queue(&self) -> &RunQueue {
        &self.queue
    }

    pub(crate) const fn limits(&self) -> LiveLimits {
        self.limits
    }

    /// Reserves a conversation for a run of a user.
    ///
    /// # Errors
    ///
    /// Returns an error if a run is at work there, or if too many are at work at all.
    pub(crate) fn reserve(
        &self,
        conversation: &str,
        user: Option<&str>,
    ) -> Result<RunReservation<'_>, Error> {
        let mut state = self.lock();
        let at_work = state.places.get(conversation).filter(|placed| placed.is_busy);
        if let Some(placed) = at_work {
            let why = "a run is at work in this conversation; wait for it, send it your message \
                       with ?steer=1, or stop it";
            return Err(Error::new(ErrorKind::Busy, why).with_run(&placed.id));
        }
        if state.is_closed {
            return Err(closing());
        }
        if *self.busy.borrow() >= self.most {
            let why = format!("{} runs are at work already; try again later", self.most);
            return Err(Error::new(ErrorKind::Unavailable, why));
        }
        let is_theirs = |placed: &&PlacedRun| placed.is_busy && placed.user.as_deref() == user;
        if state.places.values().filter(is_theirs).count() >= self.most_of_user {
            let why = format!("{} of your runs are at work already; try later", self.most_of_user);
            return Err(Error::new(ErrorKind::TooMany, why));
        }
        let (id, user) = (random_name()?, user.map(str::to_owned));
        let placed = PlacedRun { id: id.clone(), user, run: None, is_busy: true };
        let earlier = state.places.insert(conversation.to_owned(), placed);
        let earlier = earlier.and_then(|placed| placed.run);
        self.busy.send_modify(|busy| *busy += 1);
        let conversation = conversation.to_owned();
        Ok(RunReservation { runs: self, id, conversation, is_used: false, earlier })
    }

    /// Returns the run of a conversation that is at work here or is mirrored, or was the last one.
    pub(crate) fn latest(&self, conversation: &str) -> Option<Arc<LiveRun>> {
        let state = self.lock();
        let placed = state.places.get(conversation);
        match state.mirrors.get(conversation) {
            Some(Some(mirror)) if placed.is_none_or(|placed| !placed.is_busy) => {
                Some(Arc::clone(mirror))
            }
            _ => placed?.run.clone(),
        }
    }

    /// Returns whether the server begins no more runs.
    pub(crate) fn is_closed(&self) -> bool {
        self.lock().is_closed
    }

    /// Returns whether another run can begin.
    pub(crate) fn has_room(&self) -> bool {
        *self.busy.borrow() < self.most
    }

    /// Returns the number of streams of conversations, and of mirrored runs.
    pub(crate) fn streams(&self) -> (usize, usize) {
        let state = self.lock();
        (state.followed.values().sum(), state.mirrors.len())
    }

    /// Returns the number of runs that have begun.
    pub(crate) fn total(&self) -> u64 {
        self.started.load(Ordering::Relaxed)
    }

    /// Returns the run that is at work in a conversation.
    pub(crate) fn at_work(&self, conversation: &str) -> Option<Arc<LiveRun>> {
        let state = self.lock();
        state.places.get(conversation).filter(|placed| placed.is_busy)?.run.clone()
    }

    /// Returns the id of the run that is reserved or at work in a conversation.
    pub(crate) fn busy_with(&self, conversation: &str) -> Option<String> {
        let state = self.lock();
        Some(state.places.get(conversation).filter(|placed| placed.is_busy)?.id.clone())
    }

    /// Returns a receiver that changes when any run has begun.
    pub(crate) fn begun(&self) -> watch::Receiver<u64> {
        self.begun.subscribe()
    }

    /// Returns the journal of a user.
    ///
    /// # Errors
    ///
    /// Returns an error if the system has no random numbers.
    pub(crate) fn journal(&self, user: Option<&str>) -> Result<Arc<UserJournal>, Error> {
        let mut state = self.lock();
        if let Some(journal) = state.journals.get(&user.map(str::to_owned)) {
            return Ok(Arc::clone(journal));
        }
        let journal = Arc::new(UserJournal::new(random_name()?, self.limits));
        state.journals.insert(user.map(str::to_owned), Arc::clone(&journal));
        Ok(journal)
    }

    /// Takes the end of a run.
    pub(crate) fn end(&self, run: &LiveRun, end: RunEnd) {
        // A reader of the end may begin the next run at once.
        let mut state = self.lock();
        run.finish(end);
        if let Some(placed) = state.places.get_mut(&run.place.conversation) {
            placed.is_busy = false;
        }
        state.keep_over(&run.place.conversation, &run.id);
        drop(state);
        if let Some(end) = run.ended() {
            self.meters.ended(&end, run.began.elapsed(), &run.measured());
        }
        self.busy.send_modify(|busy| *busy -= 1);
    }

    /// Forgets the run of a conversation that is deleted.
    pub(crate) fn forget(&self, conversation: &str) {
        let mut state = self.lock();
        if state.places.get(conversation).is_some_and(|placed| !placed.is_busy)
            && let Some(run) = state.places.remove(conversation).and_then(|placed| placed.run)
        {
            // No reader waits for answers any more.
            run.cancel.cancel();
        }
    }

    /// Begins no more runs.
    pub(crate) fn close(&self) {
        self.lock().is_closed = true;
        // Waiting requests are notified of a free place.
        self.busy.send_modify(|_| ());
    }

    /// Stops all runs, because the server stops.
    pub(crate) fn stop_all(&self) {
        let mut state = self.lock();
        state.is_cancelled = true;
        for run in state.places.values().filter_map(|placed| placed.run.as_ref()) {
            run.hand_over();
        }
    }

    /// Waits until no run is at work.
    pub(crate) async fn idle(&self) {
        // The wait cannot fail, because `self` holds the sender.
        drop(self.busy.subscribe().wait_for(|busy| *busy == 0).await);
    }

    /// Returns the number of runs that are at work.
    pub(crate) fn count(&self) -> usize {
        *self.busy.borrow()
    }

    fn lock(&self) -> MutexGuard<'_, RunsState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl RunReservation<'_> {
    /// Puts the run at its place, where readers find it. Its first event comes later.
    pub(crate) fn begin(mut self, run: &Arc<LiveRun>) {
        self.is_used = true;
        let mut state = self.runs.lock();
        if let Some(placed) = state.places.get_mut(&self.conversation) {
            placed.run = Some(Arc::clone(run));
        }
        if state.is_cancelled {
            run.hand_over();
        }
        drop(state);
        self.runs.started.fetch_add(1, Ordering::Relaxed);
        self.runs.begun.send_modify(|begun| *begun += 1);
    }
}

impl Drop for RunReservation<'_> {
    fn drop(&mut self) {
        if self.is_used {
            return;
        }
        let mut state = self.runs.lock();
        match (self.earlier.take(), state.places.get_mut(&self.conversation)) {
            (Some(earlier), Some(placed)) => {
                (placed.id, placed.is_busy) = (earlier.id.clone(), false);
                placed.run = Some(earlier);
            }
            _ => drop(state.places.remove(&self.conversation)),
        }
        drop(state);
        self.runs.busy.send_modify(|busy| *busy -= 1);
    }
}

impl RunsState {
    /// Keeps a run that is over for readers, and forgets the oldest one.
    fn keep_over(&mut self, conversation: &str, run: &str) {
        self.over.push_back((conversation.to_owned(), run.to_owned()));
        if self.over.len() > MOST_OVER
            && let Some((conversation, id)) = self.over.pop_front()
            && self.places.get(&conversation).is_some_and(|old| old.id == id && !old.is_busy)
        {
            self.places.remove(&conversation);
        }
    }
}

/// Returns the error of a server that is about to stop.
pub(crate) fn closing() -> Error {
    Error::new(ErrorKind::Unavailable, "the server is about to stop; try again when it is back")
}

/// The number of runs that are kept after their end.
const MOST_OVER: usize = 256;
