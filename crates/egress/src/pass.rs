//! The way of one command through the proxy: its credentials, what it may reach, and what was refused.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use silcrow_event::Grants;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};

use crate::admission::Passes;
use crate::destination::Destination;
use crate::limits::ProxyLimits;
use crate::questions::{AskForHost, HostQuestions};
use crate::refusal::{Refusal, RefusalReason};

/// The way of one command through a proxy. When it is dropped, its credentials are void, and its
/// connections are cut.
#[must_use = "its credentials are void when it is dropped"]
pub struct NetworkPass {
    token: String,
    state: Arc<PassState>,
    passes: Arc<Passes>,
    /// The other ends in `state` notice when it is dropped.
    _open: watch::Sender<()>,
}

impl NetworkPass {
    pub(crate) fn new(
        passes: Arc<Passes>,
        grants: &Grants,
        ask: Box<AskForHost>,
        limits: &ProxyLimits,
    ) -> Self {
        let (open, ended) = watch::channel(());
        let (longest, most) = (limits.question, limits.questions_of_pass);
        let state = Arc::new(PassState {
            questions: HostQuestions::new(grants, ask, longest, most),
            refusals: Mutex::default(),
            connections: Arc::new(Semaphore::new(limits.connections_of_pass)),
            ended,
        });
        let token = passes.add(Arc::clone(&state));
        Self { token, state, passes, _open: open }
    }

    /// Returns the URL of the proxy for a client on this machine or in the namespace where it listens
    /// at this port, such as `http://TOKEN:x@127.0.0.1:PORT`. It has the credentials in it.
    pub fn url(&self, port: u16) -> String {
        format!("http://{}:{PASSWORD}@127.0.0.1:{port}", self.token)
    }

    /// Returns the value of the header `Proxy-Authorization` with the credentials.
    pub fn authorization(&self) -> String {
        format!("Basic {}", STANDARD.encode(format!("{}:{PASSWORD}", self.token)))
    }

    /// Returns what was refused so far, each host once, and at most 32 of them.
    pub fn refusals(&self) -> Vec<Refusal> {
        self.state.refusals.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for NetworkPass {
    fn drop(&mut self) {
        self.passes.remove(&self.token);
    }
}

impl fmt::Debug for NetworkPass {
    /// Leaves out the credentials.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NetworkPass").field("refusals", &self.refusals()).finish_non_exhaustive()
    }
}

/// What connections know of their pass.
pub(crate) struct PassState {
    questions: HostQuestions,
    refusals: Mutex<Vec<Refusal>>,
    connections: Arc<Semaphore>,
    ended: watch::Receiver<()>,
}

impl PassState {
    /// Lets a connection go there, as long as the permit exists, and waits for that if somebody has to
    /// be asked. Nothing is resolved before.
    pub(crate) async fn admit(&self, to: &Destination) -> Result<OwnedSemaphorePermit, Refusal> {
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
    pub(crate) fn refuse(&self, to: &Destination, reason: RefusalReason) -> Refusal {
        let refusal = Refusal { grant: to.wanted(), reason };
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

/// The password, which some clients do not send if it is empty.
const PASSWORD: &str = "x";

/// The number of refusals that are remembered.
const MOST_REFUSALS: usize = 32;
