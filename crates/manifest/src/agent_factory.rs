//! Agents with the tools that a manifest declares.
//!
//! This module turns agents, relics, models and workflows into tools of each other. It does not
//! read the manifest.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use silcrow_agent::{Agent, ChildAgent, Llm, Workflow};
use silcrow_event::CallKind;
use silcrow_key_value::KeyValue;
use silcrow_parser::Dialect;
use silcrow_provider::{Provider, Sampling};
use silcrow_store::Store;
use silcrow_tool::{AliasTool, DuplicateTool, Tool, ToolSource, Toolbox};

use crate::manifest::Manifest;
use crate::named_model::chosen;
use crate::parts::{ManifestParts, ServerToolSource};
use crate::relic::ReadyRelic;
use crate::server_relic::{AliasedTools, ServerRelic};
use crate::service::UnopenedService;
use crate::thinking::with_thinking;
use crate::written;

/// Creates the agents of a run. Each call gets a new agent, so that agents may call each other and
/// themselves.
struct AgentFactory {
    manifest: Manifest,
    dialect: Dialect,
    tools: Toolbox,
    /// The MCP servers, whose tools are known only while they run.
    servers: Option<Arc<dyn ServerToolSource>>,
    /// The person's agent, without tools.
    agent: Agent,
    provider: Arc<dyn Provider>,
    store: Arc<dyn Store>,
}

/// The names of everything that an agent may call, by kind.
type NamesByKind<'a> = [(CallKind, Vec<&'a str>); 5];

impl Manifest {
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
        let dialect = agent.options().dialect.dialect;
        let ManifestParts { tools, servers, provider, store } = parts;
        let manifest = self;
        let factory = AgentFactory { manifest, dialect, tools, servers, agent, provider, store };
        Arc::new(factory).equipped()
    }
}

impl AgentFactory {
    /// Returns the person's agent with everything that can be called.
    fn equipped(self: &Arc<Self>) -> Agent {
        let agent = self.agent.clone().with_tools(self.toolbox(&self.all()));
        match &self.servers {
            Some(servers) => agent.with_tool_source(self.aliased(servers.all())),
            None => agent,
        }
    }

    fn toolbox(self: &Arc<Self>, called: &NamesByKind<'_>) -> Toolbox {
        let mut toolbox = Toolbox::new();
        for (kind, names) in called {
            let aliases = &self.manifest.written.aliases;
            let is_of_server = |name: &&str| {
                let tool = aliases.get(*name).map_or(*name, String::as_str);
                *kind == CallKind::Tool && tool.contains('.')
            };
            let names = names.iter().copied().filter(|name| !is_of_server(name));
            for name in names.collect::<BTreeSet<_>>() {
                let tool = self.tool(*kind, name);
                self.add(&mut toolbox, *kind, tool).expect("a manifest's names are checked");
            }
        }
        toolbox
    }

    fn add(
        &self,
        toolbox: &mut Toolbox,
        kind: CallKind,
        tool: Arc<dyn Tool>,
    ) -> Result<(), DuplicateTool> {
        if kind != CallKind::Tool && self.dialect != Dialect::Action {
            toolbox.add(Arc::clone(&tool))?;
        }
        toolbox.add_as(kind, tool)
    }

    fn tool(self: &Arc<Self>, kind: CallKind, name: &str) -> Arc<dyn Tool> {
        let factory = Arc::clone(self);
        let written = &self.manifest.written;
        match kind {
            CallKind::Tool => match written.aliases.get(name) {
                Some(tool) => Arc::new(AliasTool::new(name, self.tool(CallKind::Tool, tool))),
                None => self.tools.get(name).expect("a manifest's names are checked").clone(),
            },
            CallKind::Agent => {
                let key = name.to_owned();
                let description = &*written.agents[name].description;
                Arc::new(ChildAgent::new(name, description, move || factory.child(&key)))
            }
            CallKind::Relic => {
                let description = written.relics[name].description.as_deref();
                self.relic(name, description)
            }
            CallKind::Workflow => {
                let (flow, declared) = (&self.manifest.flows[name], &written.workflows[name]);
                let host = move || factory.equipped();
                let workflow =
                    Workflow::new(name, &*declared.description, flow.steps.iter().cloned(), host);
                let workflow = workflow.with_inputs(&*flow.schema, flow.defaults.iter().cloned());
                Arc::new(match &declared.output {
                    Some(output) => workflow.with_output(output),
                    None => workflow,
                })
            }
            CallKind::Llm => {
                let declared = &written.llm[name];
                let description = declared.description.as_deref();
                let description = description.unwrap_or("Asks a model once, without tools.");
                let choices = declared
                    .models
                    .keys()
                    .map(|choice| (choice.clone(), self.model("llm", &chosen(name, choice))));
                let llm = Llm::new(name, description, self.model("llm", name))
                    .with_sampling(with_thinking(self.run_sampling(), declared.thinking()))
                    .with_models(choices);
                Arc::new(match &declared.instructions {
                    Some(instructions) => llm.with_instructions(instructions),
                    None => llm,
                })
            }
        }
    }

    fn relic(&self, name: &str, description: Option<&str>) -> Arc<dyn Tool> {
        match (&self.manifest.relics[name], &self.servers) {
            (ReadyRelic::KeyValue, _) => {
                let description =
                    description.unwrap_or("Keeps values by key, also for later runs.");
                Arc::new(KeyValue::new(name, description, Arc::clone(&self.store)))
            }
            (ReadyRelic::Server(server), Some(servers)) => {
                let description = description.unwrap_or("The tools of a server.");
                Arc::new(ServerRelic {
                    name: name.to_owned(),
                    description: description.to_owned(),
                    server: server.clone(),
                    source: servers.named(vec![format!("{server}.*")]),
                })
            }
            _ => match self.manifest.services.get(name) {
                Some(service) => Arc::clone(service),
                None => Arc::new(UnopenedService { name: name.to_owned() }),
            },
        }
    }

    /// Returns a source that also offers aliased tools under their aliases.
    fn aliased(&self, source: Arc<dyn ToolSource>) -> Arc<dyn ToolSource> {
        let aliases = self.manifest.written.aliases.iter();
        let aliases = aliases.filter(|(_, tool)| tool.contains('.'));
        let aliases: Vec<_> = aliases.map(|(alias, tool)| (alias.clone(), tool.clone())).collect();
        match aliases.is_empty() {
            true => source,
            false => Arc::new(AliasedTools::new(source, aliases)),
        }
    }

    fn child(self: &Arc<Self>, name: &str) -> Agent {
        fn names(names: &[String]) -> Vec<&str> {
            names.iter().map(String::as_str).collect()
        }
        let declared = &self.manifest.written.agents[name];
        let called = [
            (CallKind::Tool, names(&declared.tools)),
            (CallKind::Agent, names(&declared.agents)),
            (CallKind::Relic, names(&declared.relics)),
            (CallKind::Workflow, names(&declared.workflows)),
            (CallKind::Llm, names(&declared.llm)),
        ];
        let sampling = with_thinking(self.run_sampling(), declared.thinking());
        let agent = self.agent.clone().with_provider(self.model("agents", name));
        let agent = agent.with_sampling(sampling);
        let agent = agent.with_tools(self.toolbox(&called));
        let aliases = &self.manifest.written.aliases;
        let of_servers = declared.tools.iter().map(|tool| aliases.get(tool).unwrap_or(tool));
        let of_servers: Vec<_> = of_servers.filter(|tool| tool.contains('.')).cloned().collect();
        let agent = match self.servers.as_ref().filter(|_| !of_servers.is_empty()) {
            Some(servers) => agent.with_tool_source(self.aliased(servers.named(of_servers))),
            None => agent,
        };
        let agent = match &declared.instructions {
            // They take the place of everything that the agent of the run reads as instructions.
            Some(instructions) => agent.with_instructions(instructions).with_instruction_texts([]),
            None => agent,
        };
        match declared.max_steps {
            Some(steps) => agent.with_max_steps(steps.get()),
            None => agent,
        }
    }

    fn run_sampling(&self) -> &Sampling {
        &self.agent.options().sampling
    }

    fn model(&self, table: &'static str, name: &str) -> Arc<dyn Provider> {
        let chosen = self.manifest.models.get(&(table, name.to_owned()));
        Arc::clone(chosen.unwrap_or(&self.provider))
    }

    /// Returns the names of everything that can be called.
    fn all(&self) -> NamesByKind<'_> {
        fn keys<T>(table: &BTreeMap<String, T>) -> Vec<&str> {
            table.keys().map(String::as_str).collect()
        }
        let written = &self.manifest.written;
        let written::WrittenManifest { agents, relics, workflows, llm, aliases } = written;
        [
            (CallKind::Tool, self.tools.names().chain(keys(aliases)).collect()),
            (CallKind::Agent, keys(agents)),
            (CallKind::Relic, keys(relics)),
            (CallKind::Workflow, keys(workflows)),
            (CallKind::Llm, keys(llm)),
        ]
    }
}
