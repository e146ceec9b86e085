//! A transport for servers that start slowly, which drops their late answer to `server/discover`.
//!
//! Such a server gets `server/discover` and then `initialize` before it has read either. Its answer to
//! the first one is late, and would be taken for a wrong answer to the second.

use rmcp::model::{ClientJsonRpcMessage, ClientRequest, RequestId, ServerJsonRpcMessage};
use rmcp::service::RoleClient;
use rmcp::transport::Transport;

/// A transport that passes on no late answer.
pub(crate) struct WithoutLateAnswers<T> {
    inner: T,
    /// The questions whether the server is stateless.
    discovers: Vec<RequestId>,
    /// Whether the handshake of other servers was begun since.
    initializes: bool,
}

impl<T> WithoutLateAnswers<T> {
    pub(crate) const fn new(inner: T) -> Self {
        Self { inner, discovers: Vec::new(), initializes: false }
    }

    fn is_late(&self, message: &ServerJsonRpcMessage) -> bool {
        let id = match message {
            ServerJsonRpcMessage::Response(response) => &response.id,
            ServerJsonRpcMessage::Error(error) => match &error.id {
                Some(id) => id,
                None => return false,
            },
            _ => return false,
        };
        self.initializes && self.discovers.contains(id)
    }
}

impl<T: Transport<RoleClient>> Transport<RoleClient> for WithoutLateAnswers<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        message: ClientJsonRpcMessage,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        if let ClientJsonRpcMessage::Request(request) = &message {
            match &request.request {
                ClientRequest::DiscoverRequest(_) => self.discovers.push(request.id.clone()),
                ClientRequest::InitializeRequest(_) => self.initializes = true,
                _ => {}
            }
        }
        self.inner.send(message)
    }

    async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
        loop {
            let message = self.inner.receive().await?;
            if !self.is_late(&message) {
                return Some(message);
            }
        }
    }

    fn close(&mut self) -> impl Future<Output = Result<(), Self::Error>> + Send {
        self.inner.close()
    }
}
