//! The tools of a step: the agent's own, and its source's at the moment.
//!
//! This module notices when the list changes; the request describes the tools.

use std::sync::Arc;

use silcrow_event::CallKind;
use silcrow_native::ToolSchemas;
use silcrow_provider::ToolDeclaration;
use silcrow_tool::{Tool, Toolbox};

use crate::parts::AgentParts;

/// The tools that the current step of a run describes to the model, and that its calls run with.
pub(crate) struct CurrentTools {
    all: Arc<Toolbox>,
    /// The last list of the source.
    listed: Option<Arc<[Arc<dyn Tool>]>>,
    /// Their schemas, made on the first request for them.
    schemas: Option<Arc<ToolSchemas>>,
    /// Their declarations, made on the first request for them.
    declared: Option<Arc<[ToolDeclaration]>>,
}

impl CurrentTools {
    /// Returns the tools of an agent, without its source's until they are read.
    pub(crate) fn new(parts: &AgentParts) -> Self {
        Self { all: Arc::clone(&parts.tools), listed: None, schemas: None, declared: None }
    }

    /// Reads the current tools of the source. If the tools changed, it returns the names of the
    /// tools that have joined since the source was read first.
    pub(crate) async fn read(&mut self, parts: &AgentParts) -> Option<Vec<String>> {
        let source = parts.tool_source.as_ref()?;
        let listed = source.tools().await;
        if self.listed.as_ref().is_some_and(|before| Arc::ptr_eq(before, &listed)) {
            return None;
        }
        let before = self.listed.is_some().then(|| Arc::clone(&self.all));
        let is_new = |name: &&str| before.as_ref().is_some_and(|all| all.get(name).is_none());
        let joined = listed.iter().map(|tool| tool.name()).filter(is_new).map(str::to_owned);
        let joined = joined.collect();
        let mut all = (*parts.tools).clone();
        for tool in listed.iter() {
            // A name that is taken keeps its tool.
            let _ = all.add(Arc::clone(tool));
        }
        self.all = Arc::new(all);
        self.listed = Some(listed);
        (self.schemas, self.declared) = (None, None);
        Some(joined)
    }

    pub(crate) const fn all(&self) -> &Arc<Toolbox> {
        &self.all
    }

    /// Returns the tools that a request declares, sorted by name: all of them if calls are made in
    /// the vendor's own way, and otherwise none (P-45).
    pub(crate) fn declared(&mut self, parts: &AgentParts) -> Arc<[ToolDeclaration]> {
        if !parts.options.calls.is_native() {
            return Arc::default();
        }
        let declared = self.declared.get_or_insert_with(|| {
            let declare = |tool: &dyn Tool| {
                ToolDeclaration::new(tool.name(), tool.description(), tool.schema())
            };
            let mut tools: Vec<_> = self.all.iter_as(CallKind::Tool).map(declare).collect();
            tools.sort_unstable_by(|one, other| one.name.cmp(&other.name));
            tools.into()
        });
        Arc::clone(declared)
    }

    /// Returns the schemas of the tools' arguments. A schema that is not JSON is left out.
    pub(crate) fn schemas(&mut self) -> Arc<ToolSchemas> {
        let schemas =
            self.schemas.get_or_insert_with(|| {
                let schemas = self.all.iter().fold(ToolSchemas::new(), |schemas, tool| {
                    match serde_json::from_str(tool.schema()) {
                        Ok(schema) => schemas.with_tool(tool.name(), schema),
                        Err(_) => schemas,
                    }
                });
                Arc::new(schemas)
            });
        Arc::clone(schemas)
    }
}
