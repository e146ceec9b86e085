//! The servers of a program: started together, asked for their tools, and ended together.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::{BoxFuture, join_all};
use silcrow_tool::{Tool, ToolSource};
use tokio::sync::watch;
use tokio::time::{Instant, timeout, timeout_at};

use crate::client::definition::ToolDefinition;
use crate::client::search::ToolSearch;
use crate::client::server::{Known, ServerHandle};
use crate::client::tool::McpTool;
use crate::config::ServerConfig;
use crate::options::{DefinitionBudget, Options};
use crate::status::ServerStatus;

/// The servers of a program. Clones share them. Their programs end with the last clone and the last
/// tool, or with [`close`](Self::close), which waits for that.
#[derive(Clone)]
pub struct McpServers {
    servers: Arc<[Arc<ServerHandle>]>,
    budget: DefinitionBudget,
    /// The number of servers whose first start has ended, well or not.
    ended_starts: watch::Receiver<usize>,
    /// The time until which starts are awaited.
    patient_until: Instant,
    listed: Arc<Mutex<ListedTools>>,
}

/// The tools that were returned last, and how often the lists had changed by then.
#[derive(Default)]
struct ListedTools {
    tools: Option<Arc<[Arc<dyn Tool>]>>,
    changes: u64,
}

impl McpServers {
    /// Starts servers in parallel, and returns when each of them is usable or has failed, or when
    /// the time for starting is over. Connections belong to the runtime in which this is called.
    pub async fn start(configs: Vec<ServerConfig>, options: Options) -> Self {
        let servers = Self::begin(configs, options);
        servers.settle().await;
        servers
    }

    /// Begins to start servers in parallel, without waiting for any. Connections belong to the
    /// runtime in which this is called.
    ///
    /// # Panics
    ///
    /// Panics outside a tokio runtime.
    pub fn begin(configs: Vec<ServerConfig>, options: Options) -> Self {
        let make = |config| Arc::new(ServerHandle::new(config, &options));
        let servers: Arc<[_]> = configs.into_iter().map(make).collect();
        let (ended, ended_starts) = watch::channel(0);
        let ended = Arc::new(ended);
        for server in servers.iter() {
            let (server, ended) = (Arc::clone(server), Arc::clone(&ended));
            tokio::spawn(async move {
                // The status says why it failed.
                drop(server.connection().await);
                ended.send_modify(|ended| *ended += 1);
            });
        }
        Self {
            servers,
            budget: options.budget,
            ended_starts,
            patient_until: Instant::now() + options.patience,
            listed: Arc::default(),
        }
    }

    /// Waits until all servers can be used or have failed, or until the patience is over.
    pub async fn settle(&self) {
        let (mut ended, all) = (self.ended_starts.clone(), self.servers.len());
        // A slower one continues in its task.
        let _ = timeout_at(self.patient_until, ended.wait_for(|ended| *ended == all)).await;
    }

    /// Returns the tools of all servers. If they are more than the budget, each has only the
    /// beginning of its description, and `tool_search` is one of them.
    pub fn tools(&self) -> Vec<Arc<dyn Tool>> {
        self.tools_where(|_| true)
    }

    /// Returns the tools whose names are wanted, like [`tools`](Self::tools). Others do not count
    /// towards the budget.
    pub fn tools_where(&self, is_wanted: impl Fn(&str) -> bool) -> Vec<Arc<dyn Tool>> {
        let known: Vec<_> = self
            .servers
            .iter()
            .map(|server| {
                let tools = server.known().tools;
                let wanted = tools.iter().filter(|tool| is_wanted(&tool.name)).cloned();
                (server, wanted.collect::<Vec<_>>())
            })
            .collect();
        let all: Vec<&ToolDefinition> = known.iter().flat_map(|(_, tools)| tools).collect();
        let bytes = all.iter().map(|tool| tool.size()).sum::<usize>();
        let is_brief = all.len() > self.budget.tools || bytes > self.budget.bytes;
        let search = is_brief.then(|| ToolSearch::new(all.into_iter().cloned().collect()));
        let tools = known.iter().flat_map(|(server, tools)| {
            let tool = |tool| Arc::new(McpTool::new(server, tool, is_brief)) as Arc<dyn Tool>;
            tools.iter().map(tool)
        });
        tools.chain(search.map(|search| Arc::new(search) as Arc<dyn Tool>)).collect()
    }

    /// Returns the state of each server.
    pub fn statuses(&self) -> Vec<ServerStatus> {
        self.servers.iter().map(|server| status(server)).collect()
    }

    /// Returns a number that changes whenever the offers of a server change.
    pub fn changes(&self) -> u64 {
        self.servers.iter().map(|server| server.known().changes).sum()
    }

    /// Reads the lists of servers that have announced a change, within `patience`. Unreachable
    /// servers are retried, unless they were tried a moment ago.
    pub async fn refresh(&self, patience: Duration) {
        let refreshed = self.servers.iter().filter_map(ServerHandle::refresh);
        let _ = timeout(patience, join_all(refreshed)).await;
    }

    /// Ends all servers permanently, including those that are still starting, and waits until their
    /// programs have ended.
    pub async fn close(&self) {
        join_all(self.servers.iter().map(|server| server.close())).await;
    }

    /// Returns the server of this name.
    pub(crate) fn find(&self, name: &str) -> Option<&Arc<ServerHandle>> {
        self.servers.iter().find(|server| server.config.name == name)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Arc<ServerHandle>> {
        self.servers.iter()
    }
}

/// The tools of all servers. Before each request it reads the lists that have changed.
impl ToolSource for McpServers {
    fn tools(&self) -> BoxFuture<'_, Arc<[Arc<dyn Tool>]>> {
        async move {
            self.refresh(REFRESH).await;
            let changes = self.changes();
            let mut listed = self.listed.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(tools) = listed.tools.as_ref().filter(|_| listed.changes == changes) {
                return Arc::clone(tools);
            }
            let tools: Arc<[_]> = Self::tools(self).into();
            *listed = ListedTools { tools: Some(Arc::clone(&tools)), changes };
            tools
        }
        .boxed()
    }
}

/// The longest time that a request waits for lists that have changed.
const REFRESH: Duration = Duration::from_secs(3);

fn status(server: &ServerHandle) -> ServerStatus {
    let Known { tools, prompts, notices, program, revision, failure, is_refused, .. } =
        server.known();
    ServerStatus {
        name: server.config.name.clone(),
        address: server.config.address.to_string(),
        is_trusted: server.config.is_trusted,
        program: Some(program).filter(|program| !program.is_empty()),
        revision: Some(revision).filter(|revision| !revision.is_empty()),
        tools: tools.iter().map(|tool| tool.name.clone()).collect(),
        prompts: prompts.iter().map(|prompt| prompt.name.clone()).collect(),
        notices,
        failure,
        is_refused,
        log: server.log.lines(),
    }
}

impl fmt::Debug for McpServers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.servers.iter().map(|server| &server.config.name);
        f.debug_list().entries(names).finish()
    }
}
