//! The parts of a program that the agents of a manifest use.

use std::fmt;
use std::sync::Arc;

use silcrow_provider::Provider;
use silcrow_store::Store;
use silcrow_tool::{ToolSource, Toolbox};

/// The parts of a program that the agents of a manifest use.
#[non_exhaustive]
pub struct ManifestParts {
    /// The tools of the program.
    pub tools: Toolbox,
    /// The servers whose tools are known only while they run.
    pub servers: Option<Arc<dyn ServerToolSource>>,
    /// The model of agents and `llm`s that name none.
    pub provider: Arc<dyn Provider>,
    /// The store of relics.
    pub store: Arc<dyn Store>,
}

impl ManifestParts {
    /// Creates parts without servers, with the model and store of the run's agent.
    pub fn new(tools: Toolbox, provider: Arc<dyn Provider>, store: Arc<dyn Store>) -> Self {
        Self { tools, servers: None, provider, store }
    }

    /// Sets the servers.
    #[must_use]
    pub fn with_servers(self, servers: Option<Arc<dyn ServerToolSource>>) -> Self {
        Self { servers, ..self }
    }
}

impl fmt::Debug for ManifestParts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ManifestParts")
            .field("model", &self.provider.name())
            .finish_non_exhaustive()
    }
}

/// The servers of a run, whose tools come and go.
pub trait ServerToolSource: Send + Sync {
    /// Returns all tools of the servers.
    fn all(&self) -> Arc<dyn ToolSource>;

    /// Returns the tools that these names and patterns stand for, such as `files.read` and `files.*`.
    fn named(&self, names: Vec<String>) -> Arc<dyn ToolSource>;
}
