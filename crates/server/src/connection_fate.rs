//! The end of a connection: closed by its client, or lost with the network.

use std::convert::Infallible;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use axum::extract::FromRequestParts;
use axum::http::Request;
use axum::http::request::Parts;
use hyper::service::Service;

/// Whether the network of a connection was lost. Clones are about the same connection. A request
/// from outside this server's connections counts as one that is never lost.
#[derive(Clone, Debug, Default)]
pub(crate) struct ConnectionFate(Arc<AtomicBool>);

impl ConnectionFate {
    /// Records an error of the socket. A client closes its connection explicitly; a lost network
    /// shows only when a wait times out.
    pub(crate) fn failed(&self, error: &io::Error) {
        use io::ErrorKind::{HostUnreachable, NetworkDown, NetworkUnreachable, TimedOut};
        if matches!(error.kind(), TimedOut | HostUnreachable | NetworkUnreachable | NetworkDown) {
            self.0.store(true, Ordering::Relaxed);
        }
    }

    /// Returns whether the network was lost.
    pub(crate) fn is_lost(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

impl<S: Sync> FromRequestParts<S> for ConnectionFate {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(parts.extensions.get::<Self>().cloned().unwrap_or_default())
    }
}

/// A service whose requests have their connection.
#[derive(Clone)]
pub(crate) struct OfConnection<S> {
    pub(crate) service: S,
    pub(crate) fate: ConnectionFate,
}

impl<S: Service<Request<B>>, B> Service<Request<B>> for OfConnection<S> {
    type Response = S::Response;
    type Error = S::Error;
    type Future = S::Future;

    fn call(&self, mut request: Request<B>) -> S::Future {
        request.extensions_mut().insert(self.fate.clone());
        self.service.call(request)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_silent_network_is_lost() {
        for (kind, is_lost) in [
            (io::ErrorKind::TimedOut, true),
            (io::ErrorKind::HostUnreachable, true),
            (io::ErrorKind::ConnectionReset, false),
            (io::ErrorKind::BrokenPipe, false),
        ] {
            let fate = ConnectionFate::default();
            fate.clone().failed(&kind.into());
            assert_eq!(fate.is_lost(), is_lost, "{kind}");
        }
    }
}
