//! A manifest that is trusted, with its models and what an agent needs of it.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use silcrow_agent::Agent;
use silcrow_event::CallKind;
use silcrow_exec::{ToolSource, Toolbox};
use silcrow_models::Models;
use silcrow_provider::Provider;
use silcrow_store::Store;

use crate::agent_factory;
use crate::declared::DeclaredManifest;
use crate::error::{Error, ErrorKind};
use crate::flow::ReadyWorkflow;
use crate::written::WrittenManifest;

/// A manifest whose present contents are trusted, before its models are opened.
#[derive(Debug)]
pub struct TrustedManifest(pub(crate) DeclaredManifest);

impl TrustedManifest {
    /// Opens the models that the manifest names. A server that is not on this machine must be the one
    /// of the chosen model, or one for which there is a key.
    ///
    /// # Errors
    ///
    /// Returns an error of [`ErrorKind::Server`] for another server, and one of [`ErrorKind::Model`]
    /// for a model that cannot be opened. The message has the line and the field.
    pub fn open(self, models: &Models) -> Result<Manifest, Error> {
        for (field, url) in self.0.remote_servers() {
            let may = models.may_go_to(url.as_str());
            if !may.map_err(|error| Error::new(ErrorKind::Model, error.to_string()))? {
                let why = "the server is neither the one of the chosen model nor one with a key";
                return Err(self.0.server_error(&field, why));
            }
        }
        self.open_by(|name| models.open(name))
    }

    /// Opens the models that the manifest names by a function, which decides about servers.
    ///
    /// # Errors
    ///
    /// Returns an error of [`ErrorKind::Model`] with the message of the function, the line and the
    /// field.
    pub fn open_by<E: fmt::Display>(
        self,
        mut open: impl FnMut(&str) -> Result<Arc<dyn Provider>, E>,
    ) -> Result<Manifest, Error> {
        let Self(declared) = self;
        let mut models = BTreeMap::new();
        for named in &declared.models {
            let wrong = |why: E| declared.wrong(&named.field(), why).as_kind(ErrorKind::Model);
            let opened = open(&named.model).map_err(wrong)?;
            models.insert((named.table, named.owner.clone()), opened);
        }
        Ok(Manifest { written: declared.written, flows: declared.flows, models })
    }
}

/// A trusted manifest with its models, which makes an agent that can call what it declares.
pub struct Manifest {
    pub(crate) written: WrittenManifest,
    pub(crate) flows: BTreeMap<String, ReadyWorkflow>,
    /// The models of agents and `llm`s that name one.
    pub(crate) models: BTreeMap<(&'static str, String), Arc<dyn Provider>>,
}

impl Manifest {
    /// Returns the kind and the name of everything that it declares.
    pub fn declared(&self) -> impl Iterator<Item = (CallKind, &str)> {
        let WrittenManifest { agents, relics, workflows, llm } = &self.written;
        let agents = agents.keys().map(|name| (CallKind::Agent, name));
        let relics = relics.keys().map(|name| (CallKind::Relic, name));
        let workflows = workflows.keys().map(|name| (CallKind::Workflow, name));
        let models = llm.keys().map(|name| (CallKind::Llm, name));
        let all = agents.chain(relics).chain(workflows).chain(models);
        all.map(|(kind, name)| (kind, &**name))
    }

    /// Returns the agent of a run with its tools and with everything that is declared here. In a
    /// dialect that calls only tools, declarations become tools.
    ///
    /// Declared agents are copies of `agent` with tools, instructions and a model of theirs. Each call
    /// gets a new one, so that agents may call each other and themselves.
    ///
    /// # Panics
    ///
    /// Panics if `parts` lacks a tool that was known when the manifest was read.
    pub fn equip(self, agent: Agent, parts: ManifestParts) -> Agent {
        agent_factory::equipped(agent, self, parts)
    }
}

impl fmt::Debug for Manifest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.declared()).finish()
    }
}

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
    /// Creates parts without servers. The model and the store are those of the agent of the run.
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
