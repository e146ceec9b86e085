//! The pass of one command through the proxy, as its caller holds it: the credentials and the
//! refusals.
//!
//! The module `pass_state` decides which hosts a connection may reach.

use std::fmt;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use silcrow_event::Grants;
use tokio::sync::watch;

use crate::admission::Passes;
use crate::limits::ProxyLimits;
use crate::pass_state::PassState;
use crate::questions::AskForHost;
use crate::refused_host::RefusedHost;

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
        let state = Arc::new(PassState::new(grants, ask, limits, ended));
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

    /// Returns the refused hosts so far, each once, and at most 32 of them.
    pub fn refusals(&self) -> Vec<RefusedHost> {
        self.state.refusals()
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

/// The password, which some clients do not send if it is empty.
const PASSWORD: &str = "x";
