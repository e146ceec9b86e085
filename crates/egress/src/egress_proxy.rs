//! A proxy, and the passes that it opens.

use std::fmt;
use std::io;
use std::net::TcpListener;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use silcrow_event::{Grant, Grants};

use crate::connection::accept;
use crate::limits::ProxyLimits;
use crate::outside::{Outside, SystemOutside};
use crate::pass::NetworkPass;
use crate::proxy_parts::ProxyParts;
use crate::tasks::{self, OwnTask};

/// A proxy for confined commands. A copy is the same proxy.
///
/// ```
/// use silcrow_egress::{EgressProxy, ProxyLimits};
/// use silcrow_event::Grants;
///
/// let limits = ProxyLimits { questions_of_pass: 0, ..ProxyLimits::default() };
/// let proxy = EgressProxy::new().with_limits(limits);
/// let nobody = |_| Box::pin(async { Err("nobody is there".to_owned()) }) as _;
/// let (one, other) = (proxy.open(&Grants::none(), nobody), proxy.open(&Grants::none(), nobody));
/// // Each command has its own credentials, so one cannot use the grants of another.
/// assert_ne!(one.authorization(), other.authorization());
/// ```
#[derive(Clone)]
pub struct EgressProxy(ProxyParts);

impl EgressProxy {
    /// Creates a proxy that reaches the public internet from this machine, without another proxy.
    pub fn new() -> Self {
        let outside = Arc::new(SystemOutside::new());
        Self(ProxyParts { passes: Arc::default(), outside, limits: ProxyLimits::default() })
    }

    /// Replaces the network outside, for one that is reached in another way, and for tests. It gets
    /// requests for public addresses only.
    #[must_use]
    pub fn with_outside(self, outside: impl Outside + 'static) -> Self {
        Self(ProxyParts { outside: Arc::new(outside), ..self.0 })
    }

    /// Replaces the limits of passes and listeners from now on.
    #[must_use]
    pub fn with_limits(self, limits: ProxyLimits) -> Self {
        Self(ProxyParts { limits, ..self.0 })
    }

    /// Serves the proxy on a listener, in the runtime of the caller.
    ///
    /// # Errors
    ///
    /// Returns an error outside of a runtime of tokio, and if the runtime cannot use the listener.
    pub fn serve(&self, listener: TcpListener) -> io::Result<ProxyServer> {
        let runtime = tasks::runtime()?;
        let listener = tasks::listener(&runtime, listener)?;
        let task = accept(listener, Arc::new(self.0.clone()));
        Ok(ProxyServer(OwnTask::start(&runtime, task)))
    }

    /// Opens a pass for a command. Only the grants of hosts count. A connection to another host
    /// waits for the answer of `ask`, whose error is the reason of the refusal; the question is
    /// dropped if no connection waits for it any more.
    pub fn open(
        &self,
        grants: &Grants,
        ask: impl Fn(Grant) -> BoxFuture<'static, Result<(), String>> + Send + Sync + 'static,
    ) -> NetworkPass {
        NetworkPass::new(Arc::clone(&self.0.passes), grants, Box::new(ask), &self.0.limits)
    }
}

impl Default for EgressProxy {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for EgressProxy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EgressProxy").field("limits", &self.0.limits).finish_non_exhaustive()
    }
}

/// A proxy on a listener. When it is dropped, the listener is closed and all connections are cut.
#[derive(Debug)]
#[must_use = "it ends when it is dropped"]
pub struct ProxyServer(OwnTask);

impl ProxyServer {
    /// Returns whether it still serves. It does not if its runtime has ended.
    pub fn is_running(&self) -> bool {
        self.0.is_running()
    }
}
