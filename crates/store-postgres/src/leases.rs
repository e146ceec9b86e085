//! The leases of a process: which conversations it holds, and until when.
//!
//! ```text
//! taken ─► renewed, after each third of its time ─► released
//!   └──────── not renewed for two thirds, or taken over ─► lost
//! ```
//!
//! The server's clock says when a lease ends, and this process gives the lease up before that by
//! its own clock, counted from the moment of its last request for renewal. So an owner that was
//! frozen refuses to write even before the server would.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use silcrow_store::{Error, ErrorKind};
use tokio::sync::watch;
use tokio::time::{Duration, Instant};

/// The leases that a store has, by conversation.
#[derive(Debug)]
pub(crate) struct Leases {
    held: Mutex<HashMap<String, Lease>>,
    time: Duration,
}

/// The lease of a conversation.
#[derive(Clone, Debug)]
pub(crate) struct Lease {
    /// The number of the lease, which fences every write.
    pub(crate) epoch: i64,
    /// The moment from which its time counts.
    renewed: Instant,
    is_lost: Arc<watch::Sender<bool>>,
    /// All orders of the lease. The run counts how many of them it has got.
    orders: Arc<watch::Sender<Vec<String>>>,
}

/// The messages about its lease that the run gets.
pub(crate) struct LeaseNews {
    /// Whether it is lost.
    pub(crate) lost: watch::Receiver<bool>,
    /// All orders so far.
    pub(crate) orders: watch::Receiver<Vec<String>>,
}

impl Leases {
    /// Creates an empty list of leases that last for a time.
    pub(crate) fn new(time: Duration) -> Self {
        Self { held: Mutex::default(), time }
    }

    /// Adds a lease, whose time began at a moment, and returns the receiver of its messages.
    pub(crate) fn add(
        &self,
        conversation: &str,
        epoch: i64,
        renewed: Instant,
        orders: Vec<String>,
    ) -> LeaseNews {
        let (is_lost, lost) = watch::channel(false);
        let (orders, ordered) = watch::channel(orders);
        let (is_lost, orders) = (Arc::new(is_lost), Arc::new(orders));
        let lease = Lease { epoch, renewed, is_lost, orders };
        self.held().insert(conversation.to_owned(), lease);
        LeaseNews { lost, orders: ordered }
    }

    /// Takes the orders of a lease, all of them from the first on.
    pub(crate) fn set_orders(&self, conversation: &str, epoch: i64, orders: Vec<String>) {
        let held = self.held();
        if let Some(lease) = held.get(conversation).filter(|lease| lease.epoch == epoch) {
            lease.orders.send_if_modified(|known| {
                let has_more = orders.len() > known.len();
                if has_more {
                    *known = orders;
                }
                has_more
            });
        }
    }

    /// Removes a lease, and returns whether it is to be given back. A lost lease keeps its owner's
    /// name until its time is over, because a run that was cut off there has to be continued.
    pub(crate) fn remove(&self, conversation: &str, epoch: i64) -> bool {
        let mut held = self.held();
        let is_it = held.get(conversation).is_some_and(|lease| lease.epoch == epoch);
        let removed = is_it.then(|| held.remove(conversation)).flatten();
        removed.is_some_and(|lease| !self.is_over(&lease))
    }

    /// Returns whether a run of this process has a conversation, or has lost it and not ended yet.
    pub(crate) fn has(&self, conversation: &str) -> bool {
        self.held().contains_key(conversation)
    }

    /// Returns the epoch that fences a write to a conversation; `None` if it is not held here.
    ///
    /// # Errors
    ///
    /// Returns an error if the lease is lost.
    pub(crate) fn epoch(&self, conversation: &str) -> Result<Option<i64>, ()> {
        let held = self.held();
        let Some(lease) = held.get(conversation) else { return Ok(None) };
        if self.is_over(lease) {
            lease.is_lost.send_replace(true);
            return Err(());
        }
        Ok(Some(lease.epoch))
    }

    /// Returns the conversations and epochs of the leases that are not lost.
    pub(crate) fn living(&self) -> Vec<(String, i64)> {
        let held = self.held();
        let living = held.iter().filter(|(_, lease)| !self.is_over(lease));
        living.map(|(conversation, lease)| (conversation.clone(), lease.epoch)).collect()
    }

    /// Records that only some of these leases were `renewed`, which was requested at a moment.
    pub(crate) fn renew(&self, asked: &[(String, i64)], renewed: &[i64], at: Instant) {
        let mut held = self.held();
        for (conversation, epoch) in asked {
            let Some(lease) = held.get_mut(conversation).filter(|one| one.epoch == *epoch) else {
                continue;
            };
            match renewed.contains(epoch) {
                true => lease.renewed = at,
                false => drop(lease.is_lost.send_replace(true)),
            }
        }
    }

    /// Gives up the leases whose time is over.
    pub(crate) fn give_up(&self) {
        for lease in self.held().values().filter(|lease| self.is_over(lease)) {
            lease.is_lost.send_replace(true);
        }
    }

    /// Returns the time between two renewals.
    pub(crate) fn pause(&self) -> Duration {
        self.time / 3
    }

    /// Returns the duration of a lease.
    pub(crate) const fn time(&self) -> Duration {
        self.time
    }

    fn is_over(&self, lease: &Lease) -> bool {
        *lease.is_lost.borrow() || lease.renewed.elapsed() >= self.time * 2 / 3
    }

    fn held(&self) -> MutexGuard<'_, HashMap<String, Lease>> {
        // Each change is one step, so the leases are whole even after a panic.
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the error for a write of an owner that has lost its conversation.
pub(crate) fn fenced(conversation: &str) -> Error {
    let why = format!(
        "conversation {conversation:?} is no longer held here: the database was not reached in \
         time, or another process has taken it over; nothing more is written there"
    );
    Error::new(ErrorKind::Fenced, why)
}
