//! The prompts and resources of MCP servers that Tab completes.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use silcrow_console::edit::LineOffer;
use silcrow_mcp::ServerResource;
use silcrow_term::fit::shortened;
use tokio::runtime::Handle;
use tokio::time::timeout;

use super::candidate::offer;
use super::server_prompts::command_name;
use silcrow_session::servers::RunServers;

/// The servers of a session, for a line that is typed.
pub(super) struct KnownServers {
    servers: RunServers,
    /// The runtime of the servers. The editor reads lines on its own thread.
    runtime: Handle,
    /// The resources of each server, and at how many changes of the lists they were read.
    read: Mutex<HashMap<String, (u64, Vec<ServerResource>)>>,
}

impl KnownServers {
    pub(super) fn new(servers: RunServers, runtime: Handle) -> Self {
        Self { servers, runtime, read: Mutex::default() }
    }

    /// Returns the slash commands that begin like this. Only one who asks waits for servers that start.
    pub(super) fn prompts(&self, typed: &str, is_asked: bool) -> Vec<LineOffer> {
        if is_asked {
            self.settle(typed);
        }
        let prompts = self.servers.servers().prompts();
        let found = prompts.iter().filter(|prompt| command_name(prompt).starts_with(typed));
        found
            .map(|prompt| {
                let name = command_name(prompt);
                offer(&name, &shortened(&prompt.about, 40), format!("{name} "))
            })
            .collect()
    }

    /// Returns the completions of `server:uri`: the servers, or the resources of one. Only one who
    /// asks waits for a server.
    pub(super) fn resources(&self, typed: &str, is_asked: bool) -> Vec<LineOffer> {
        if is_asked {
            self.settle(typed);
        }
        let statuses = self.servers.servers().statuses();
        let names = statuses.into_iter().filter(|status| status.revision.is_some());
        let Some((server, uri)) = typed.split_once(':') else {
            let found = names.filter(|status| status.name.starts_with(typed));
            return found
                .map(|status| format!("{}:", status.name))
                .map(|name| offer(&name, "texts of an MCP server", name.clone()))
                .collect();
        };
        let listed = self.listed(server, is_asked);
        let found = listed
            .iter()
            .filter(|one| one.uri.starts_with(uri) && !one.uri.contains(char::is_whitespace));
        found
            .take(MOST)
            .map(|one| {
                let whole = format!("{server}:{}", one.uri);
                offer(&whole.clone(), &shortened(&one.about, 40), whole)
            })
            .collect()
    }

    /// Waits a moment for servers that still start, if the typed text names one.
    fn settle(&self, typed: &str) {
        if typed.contains(':') {
            // A server that is slower completes nothing yet.
            let settled = timeout(PATIENCE, self.servers.servers().settle());
            let _ = self.runtime.block_on(settled);
        }
    }

    /// Returns the resources of a server. One that does not answer soon, or was not asked, has none.
    fn listed(&self, server: &str, is_asked: bool) -> Vec<ServerResource> {
        let changes = self.servers.servers().changes();
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, listed)) = read.get(server).filter(|(at, _)| *at == changes) {
            return listed.clone();
        }
        if !is_asked {
            return Vec::new();
        }
        let asked = timeout(PATIENCE, self.servers.servers().resources(server));
        let Ok(Ok(listed)) = self.runtime.block_on(asked) else { return Vec::new() };
        read.insert(server.to_owned(), (changes, listed.clone()));
        listed
    }
}

/// The longest time that Tab waits for a server.
const PATIENCE: Duration = Duration::from_secs(2);

/// The number of resources that are offered at once.
const MOST: usize = 200;
