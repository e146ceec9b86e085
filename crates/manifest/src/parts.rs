//! The parts of a program that the agents of a manifest use.

use std::fmt;
use std::sync::Arc;

use silcrow_provider::Provider;
use silcrow_store::Store;
use silcrow_tool::{ToolSource, Toolbox};

/// The parts of a program that the agents of a manifest use.
///
/// ```
/// use std::sync::Arc;
///
/// use silcrow_manifest::ManifestParts;
/// use silcrow_provider::ScriptedModel;
/// use silcrow_store::MemoryStore;
/// use silcrow_tool::Toolbox;
///
/// let (model, store) = (Arc::new(ScriptedModel::parse("", 1)), Arc::new(MemoryStore::new()));
/// let parts = ManifestParts::new(Toolbox::new(), model, store);
/// assert!(parts.servers.is_none());
/// ```
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
///
/// ```
/// use std::sync::Arc;
///
/// use futures_util::future::{BoxFuture, FutureExt as _, ready};
/// use silcrow_manifest::ServerToolSource;
/// use silcrow_tool::{Tool, ToolSource};
///
/// /// A source without servers, and so without tools.
/// struct NoServers;
///
/// impl ToolSource for NoServers {
///     fn tools(&self) -> BoxFuture<'_, Arc<[Arc<dyn Tool>]>> {
///         ready(Arc::from([])).boxed()
///     }
/// }
///
/// impl ServerToolSource for NoServers {
///     fn all(&self) -> Arc<dyn ToolSource> {
///         Arc::new(Self)
///     }
///     fn named(&self, _: Vec<String>) -> Arc<dyn ToolSource> {
///         self.all()
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// assert!(NoServers.named(vec!["files.*".to_owned()]).tools().await.is_empty());
/// # }
/// ```
pub trait ServerToolSource: Send + Sync {
    /// Returns all tools of the servers.
    fn all(&self) -> Arc<dyn ToolSource>;

    /// Returns the tools that these names and patterns stand for, such as `files.read` and `files.*`.
    fn named(&self, names: Vec<String>) -> Arc<dyn ToolSource>;
}
