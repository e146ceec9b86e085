//! The tools of servers that an agent is offered, which may change before each request.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use silcrow_mcp::McpServers;
use silcrow_settings::{OfferedTools, stands_for};
use silcrow_tool::{Tool, ToolSource};

/// The tools of servers that the choices of a run offer, and that an agent of a manifest names.
pub struct OfferedServerTools {
    servers: McpServers,
    offered: OfferedTools,
    /// The names and patterns of the agent; `None` for all.
    named: Option<Vec<String>>,
    listed: Mutex<Option<OfferedList>>,
}

/// The tools that were returned last, and how often the lists of the servers had changed by then.
struct OfferedList {
    changes: u64,
    tools: Arc<[Arc<dyn Tool>]>,
}

impl OfferedServerTools {
    pub(super) const fn new(
        servers: McpServers,
        offered: OfferedTools,
        named: Option<Vec<String>>,
    ) -> Self {
        Self { servers, offered, named, listed: Mutex::new(None) }
    }

    fn offers(&self, tool: &str) -> bool {
        let is_named = |names: &Vec<String>| names.iter().any(|name| stands_for(name, tool));
        self.offered.offers(tool) && self.named.as_ref().is_none_or(is_named)
    }
}

impl fmt::Debug for OfferedServerTools {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OfferedServerTools").field("named", &self.named).finish_non_exhaustive()
    }
}

impl ToolSource for OfferedServerTools {
    fn tools(&self) -> BoxFuture<'_, Arc<[Arc<dyn Tool>]>> {
        async move {
            self.servers.refresh(REFRESH).await;
            let changes = self.servers.changes();
            let mut listed = self.listed.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(OfferedList { tools, .. }) =
                listed.as_ref().filter(|listed| listed.changes == changes)
            {
                return Arc::clone(tools);
            }
            let tools: Arc<[_]> = self.servers.tools_where(|tool| self.offers(tool)).into();
            *listed = Some(OfferedList { changes, tools: Arc::clone(&tools) });
            tools
        }
        .boxed()
    }
}

/// The longest time that a request waits for a server whose list has changed.
const REFRESH: Duration = Duration::from_secs(3);
