//! An endpoint for MCP clients: what it offers, and over what it is reached.

use std::fmt;
use std::io;
use std::sync::Arc;

use axum::Router;
use rmcp::service::{QuitReason, serve_server};
use silcrow_event::error_chain;
use silcrow_server::{Server, ServerUser};
use tokio::io::{AsyncRead, AsyncWrite};

use crate::declared::{DeclaredTool, OfferedTool, offered};
use crate::handler::{AgentHandler, UserSource};
use crate::http::mount;
use crate::options::Options;

/// Offers the agents of a server as tools to MCP clients. Clones are the same endpoint.
#[derive(Clone)]
pub struct McpEndpoint {
    pub(crate) server: Server,
    pub(crate) tools: Arc<[OfferedTool]>,
    pub(crate) options: Options,
}

impl McpEndpoint {
    /// Creates an endpoint with the tool `run`.
    ///
    /// The approver of the server's agents should be [`ParkAll`](silcrow_exec::ParkAll), so that
    /// their questions reach the person at the client.
    pub fn new(server: Server) -> Self {
        Self { server, tools: offered(&[]).into(), options: Options::default() }
    }

    /// Sets the agents and workflows that are tools of their own, beside `run`.
    #[must_use]
    pub fn with_declared(self, declared: &[DeclaredTool]) -> Self {
        Self { tools: offered(declared).into(), ..self }
    }

    /// Offers the agents of another server, such as the same one with its tokens.
    #[must_use]
    pub fn with_server(self, server: Server) -> Self {
        Self { server, ..self }
    }

    /// Sets the limits.
    #[must_use]
    pub fn with_options(self, options: Options) -> Self {
        Self { options, ..self }
    }

    /// Serves one client that speaks lines, as one user, until it closes its end. Runs that it has
    /// begun are stopped then, and leave a valid history.
    ///
    /// # Errors
    ///
    /// Returns an error if the client does not speak the protocol.
    pub async fn serve_lines(
        &self,
        user: ServerUser,
        input: impl AsyncRead + Send + Unpin + 'static,
        output: impl AsyncWrite + Send + Unpin + 'static,
    ) -> io::Result<()> {
        let handler = AgentHandler::new(self.clone(), UserSource::One(user));
        let served = match serve_server(handler, (input, output)).await {
            Ok(served) => served,
            // It left before it said anything.
            Err(rmcp::service::ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
            Err(error) => return Err(io::Error::other(error_chain(&error))),
        };
        match served.waiting().await {
            Ok(QuitReason::JoinError(error)) | Err(error) => Err(io::Error::other(error)),
            Ok(_) => Ok(()),
        }
    }

    /// Returns the endpoint `/mcp` for streamable HTTP, to be merged with the
    /// [endpoints of the server](Server::router). The server's tokens, hosts and origins count.
    pub fn router(&self) -> Router {
        let endpoint = self.clone();
        mount(&self.server, &self.options, move || {
            AgentHandler::new(endpoint.clone(), UserSource::Request)
        })
    }
}

impl fmt::Debug for McpEndpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.tools.iter().map(|tool| &tool.definition.name);
        f.debug_struct("McpEndpoint")
            .field("tools", &names.collect::<Vec<_>>())
            .finish_non_exhaustive()
    }
}
