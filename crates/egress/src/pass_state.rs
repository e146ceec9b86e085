//! The state of a pass that its connections share: its grants, its refusals, and whether it has
//! ended.

use std::sync::{Arc, Mutex, PoisonError};

use silcrow_event::Grants;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};

use crate::destination::Destination;
use crate::limits::ProxyLimits;
use crate::questions::{AskForHost, HostQuestions};
use crate::refused_host::{RefusalReason, RefusedHost};

/// The state of a pass that its connections share.
pub(crate) struct PassState {
    questions: HostQuestions,
    refusals: Mutex<Vec<RefusedHost>>,
    connections: Arc<Semaphore>,
    ended: watch::Receiver<()>,
}

impl PassState {
    /// Creates the state of a pass that ends when the other end of `ended` is dropped.
    pub(crate) fn new(
        grants: &Grants,
        ask: Box<AskForHost>,
        limits: &ProxyLimits,
        ended: watch::Receiver<()>,
    ) -> Self {
        Self {
            questions: HostQuestions::new(grants, ask, limits.question, limits.questions_of_pass),
            refusals: Mutex::default(),
            connections: Arc::new(Semaphore::new(limits.connections_of_pass)),
            ended,
        }
    }

    /// Returns the refusals so far.
    pub(crate) fn refusals(&self) -> Vec<RefusedHost> {
        self.refusals.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Lets a connection go there, as long as the permit exists, and waits for that if somebody has to
    /// be asked. Nothing is resolved before.
    pub(crate) async fn admit(
        &self,
        to: &Destination,
    ) -> Result<OwnedSemaphorePermit, RefusedHost> {
        if to.host.is_private() {
            return Err(self.refuse(to, RefusalReason::NotPublic));
        }
        let permit = Arc::clone(&self.connections).try_acquire_owned();
        let permit = permit.map_err(|_| self.refuse(to, RefusalReason::TooMany))?;
        match self.questions.admit(to).await {
            Ok(()) => Ok(permit),
            Err(why) => Err(self.refuse(to, RefusalReason::NotGranted(why))),
        }
    }

    /// Notes a refusal.
    pub(crate) fn refuse(&self, to: &Destination, reason: RefusalReason) -> RefusedHost {
        let refusal = RefusedHost { grant: to.wanted(), reason };
        let mut refusals = self.refusals.lock().unwrap_or_else(PoisonError::into_inner);
        if refusals.len() < MOST_REFUSALS && !refusals.contains(&refusal) {
            refusals.push(refusal.clone());
        }
        refusal
    }

    /// Returns when the pass has ended.
    pub(crate) async fn ended(&self) {
        let mut ended = self.ended.clone();
        while ended.changed().await.is_ok() {}
    }
}

/// The number of refusals that are remembered.
const MOST_REFUSALS: usize = 32;
