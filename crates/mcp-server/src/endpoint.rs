//! An endpoint for MCP clients: its offers and its transports.

use std::fmt;
use std::io;

use axum::Router;
use rmcp::service::{QuitReason, serve_server};
use silcrow_event::error_chain;
use silcrow_server::{Server, ServerUser};
use tokio::io::{AsyncRead, AsyncWrite};

use crate::declared::{DeclaredTool, offered};
use crate::handler::{AgentHandler, UserSource};
use crate::http::mount;
use crate::offer::McpOffer;
use crate::options::Options;

/// Offers the agents of a server as tools to MCP clients. Clones are the same endpoint.
///
/// ```
/// use std::sync::Arc;
///
/// use silcrow_agent::Agent;
/// use silcrow_mcp_server::McpEndpoint;
/// # use silcrow_provider::ScriptedModel;
/// use silcrow_server::{RunPlace, Server};
/// use silcrow_store::MemoryStore;
///
/// let store = Arc::new(MemoryStore::new());
/// # let model = ScriptedModel::parse("§respond: Four.\n§end", 1);
/// let agent = Agent::new(model, Arc::clone(&store));
/// let endpoint = McpEndpoint::new(Server::new(store, move |_: &RunPlace| agent.clone()));
/// assert!(format!("{endpoint:?}").contains(r#"["run"]"#));
/// ```
#[derive(Clone)]
pub struct McpEndpoint(McpOffer);

impl McpEndpoint {
    /// Creates an endpoint with the tool `run`.
    ///
    /// The approver of the server's agents should be [`ParkAll`](silcrow_tool::ParkAll), so that
    /// their questions reach the person at the client.
    pub fn new(server: Server) -> Self {
        let (tools, options) = (offered(&[]).into(), Options::default());
        Self(McpOffer { server, tools, options })
    }

    /// Sets the agents and workflows to offer as separate tools, in addition to `run`.
    #[must_use]
    pub fn with_declared(self, declared: &[DeclaredTool]) -> Self {
        Self(McpOffer { tools: offered(declared).into(), ..self.0 })
    }

    /// Offers the agents of another server, such as the same one with its tokens.
    #[must_use]
    pub fn with_server(self, server: Server) -> Self {
        Self(McpOffer { server, ..self.0 })
    }

    /// Sets the limits.
    #[must_use]
    pub fn with_options(self, options: Options) -> Self {
        Self(McpOffer { options, ..self.0 })
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
        let handler = AgentHandler::new(self.0.clone(), UserSource::One(user));
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
        let offer = self.0.clone();
        mount(&self.0.server, &self.0.options, move || {
            AgentHandler::new(offer.clone(), UserSource::Request)
        })
    }
}

impl fmt::Debug for McpEndpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.0.tools.iter().map(|tool| &tool.definition.name);
        f.debug_struct("McpEndpoint")
            .field("tools", &names.collect::<Vec<_>>())
            .finish_non_exhaustive()
    }
}
