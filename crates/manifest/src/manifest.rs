//! A trusted manifest with its models.
//!
//! This module has the declarations of a manifest. It does not make agents.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use silcrow_event::CallKind;
use silcrow_provider::Provider;
use silcrow_tool::Tool;

use crate::flow::ReadyWorkflow;
use crate::relic::ReadyRelic;
use crate::written::WrittenManifest;

/// A trusted manifest with its models, which makes an agent that can call the declared things.
/// Clones share the models.
#[derive(Clone)]
pub struct Manifest {
    pub(crate) written: WrittenManifest,
    pub(crate) flows: BTreeMap<String, ReadyWorkflow>,
    /// The models of agents and `llm`s that name one.
    pub(crate) models: BTreeMap<(&'static str, String), Arc<dyn Provider>>,
    pub(crate) relics: BTreeMap<String, ReadyRelic>,
    /// The services of relics that were opened.
    pub(crate) services: BTreeMap<String, Arc<dyn Tool>>,
}

impl Manifest {
    /// Returns the kind and the name of everything that it declares.
    pub fn declared(&self) -> impl Iterator<Item = (CallKind, &str)> {
        let WrittenManifest { agents, relics, workflows, llm, .. } = &self.written;
        let agents = agents.keys().map(|name| (CallKind::Agent, name));
        let relics = relics.keys().map(|name| (CallKind::Relic, name));
        let workflows = workflows.keys().map(|name| (CallKind::Workflow, name));
        let models = llm.keys().map(|name| (CallKind::Llm, name));
        let all = agents.chain(relics).chain(workflows).chain(models);
        all.map(|(kind, name)| (kind, &**name))
    }
}

impl fmt::Debug for Manifest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.declared()).finish()
    }
}
