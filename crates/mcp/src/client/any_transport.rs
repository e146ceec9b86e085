//! A transport whose kind is not a part of its type.
//!
//! The loop of a connection is a large function of `rmcp`, which is compiled for each type of
//! transport. With this one it is compiled once.

use std::error::Error;
use std::fmt;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::service::RoleClient;
use rmcp::transport::Transport;

/// A transport of any kind.
pub(crate) struct AnyTransport(Box<dyn DynTransport>);

impl AnyTransport {
    pub(crate) fn new(transport: impl Transport<RoleClient> + 'static) -> Self {
        Self(Box::new(transport))
    }
}

impl Transport<RoleClient> for AnyTransport {
    type Error = TransportError;

    fn send(
        &mut self,
        message: ClientJsonRpcMessage,
    ) -> impl Future<Output = Result<(), TransportError>> + Send + 'static {
        self.0.send_any(message)
    }

    fn receive(&mut self) -> impl Future<Output = Option<ServerJsonRpcMessage>> + Send {
        self.0.receive_any()
    }

    fn close(&mut self) -> impl Future<Output = Result<(), TransportError>> + Send {
        self.0.close_any()
    }
}

/// Why a transport failed: the words and the sources of the transport's error.
pub(crate) struct TransportError(Box<dyn Error + Send + Sync>);

impl fmt::Debug for TransportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Display for TransportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Error for TransportError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.0.source()
    }
}

/// [`Transport`] with boxed futures, so that all transports have one type.
trait DynTransport: Send {
    fn send_any(
        &mut self,
        message: ClientJsonRpcMessage,
    ) -> BoxFuture<'static, Result<(), TransportError>>;

    fn receive_any(&mut self) -> BoxFuture<'_, Option<ServerJsonRpcMessage>>;

    fn close_any(&mut self) -> BoxFuture<'_, Result<(), TransportError>>;
}

impl<T: Transport<RoleClient>> DynTransport for T {
    fn send_any(
        &mut self,
        message: ClientJsonRpcMessage,
    ) -> BoxFuture<'static, Result<(), TransportError>> {
        // A transport may note a message before its future is polled.
        self.send(message).map(any_error).boxed()
    }

    fn receive_any(&mut self) -> BoxFuture<'_, Option<ServerJsonRpcMessage>> {
        self.receive().boxed()
    }

    fn close_any(&mut self) -> BoxFuture<'_, Result<(), TransportError>> {
        self.close().map(any_error).boxed()
    }
}

fn any_error<E: Error + Send + Sync + 'static>(ended: Result<(), E>) -> Result<(), TransportError> {
    ended.map_err(|error| TransportError(Box::new(error)))
}
