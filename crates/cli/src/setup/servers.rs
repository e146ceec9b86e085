//! The MCP servers of an agent: begun once for a run, a session or a program, and shared by the
//! agents that are made in it.

use std::path::Path;
use std::sync::Arc;

use silcrow_exec::{Secrets, Spill};
use silcrow_mcp::Elicitor;
use silcrow_settings::known_secrets;

use super::AgentSetup;
use crate::mcp::{RunServers, ServerSurroundings};

impl AgentSetup {
    /// Begins to start the servers that are declared, for the agent of this setup, and waits for none.
    /// `elicitor` asks the person the questions of servers.
    ///
    /// # Panics
    ///
    /// Panics outside a tokio runtime.
    pub(crate) fn begin_servers(
        &mut self,
        root: &Path,
        elicitor: Option<Arc<dyn Elicitor>>,
    ) -> RunServers {
        let spill = self.place.spills().map(|spills| Arc::new(spills) as Arc<dyn Spill>);
        let surroundings = ServerSurroundings { spill, elicitor };
        let servers = RunServers::begin(&self.declared, &self.offered, root, surroundings);
        self.use_servers(&servers);
        servers
    }

    /// Sets servers that run already.
    pub(crate) fn use_servers(&mut self, servers: &RunServers) {
        self.servers = Some(servers.clone());
    }

    /// Returns the secrets that runs mask.
    pub(super) fn secrets(&self) -> Secrets {
        self.servers.as_ref().map_or_else(known_secrets, RunServers::secrets)
    }
}
