//! The servers of a run or a session: begun, waited for, and ended with it.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use silcrow_mcp::{Elicitor, McpServers, Options, ServerStatus};
use silcrow_settings::{DeclaredServer, OfferedTools, known_secrets_with};
use silcrow_tool::{CancellationToken, Secrets, Spill};

use super::launch::ServerLaunch;
use super::source::OfferedServerTools;
use crate::decoder::ConfinedDecoder;

/// The servers of a run. Clones share them.
#[derive(Clone)]
pub struct RunServers {
    servers: McpServers,
    offered: OfferedTools,
    /// The servers that cannot even be started, each with the reason.
    unusable: Arc<[(String, String)]>,
    /// Advice on declarations that can be used.
    advice: Arc<[String]>,
    /// The secrets that runs mask, with the tokens of logins that are renewed.
    secrets: Secrets,
    elicitor: Option<Arc<dyn Elicitor>>,
}

/// The parts of a run that its servers use.
#[derive(Default)]
#[expect(clippy::exhaustive_structs, reason = "callers name what they have and take the rest")]
pub struct ServerSurroundings {
    /// Keeps images and other results that are not text.
    pub spill: Option<Arc<dyn Spill>>,
    /// Decodes the pictures of results.
    pub decoder: ConfinedDecoder,
    /// Asks the person the questions of servers.
    pub elicitor: Option<Arc<dyn Elicitor>>,
}

impl fmt::Debug for ServerSurroundings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (spill, elicitor) = (self.spill.is_some(), self.elicitor.is_some());
        f.debug_struct("ServerSurroundings")
            .field("spill", &spill)
            .field("elicitor", &elicitor)
            .finish()
    }
}

impl fmt::Debug for RunServers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunServers").field("servers", &self.servers).finish_non_exhaustive()
    }
}

impl RunServers {
    /// Begins to start servers for a run whose tools see `root`, except servers without an offered
    /// tool. Waits for none.
    pub fn begin(
        declared: &[DeclaredServer],
        offered: &OfferedTools,
        root: &Path,
        surroundings: ServerSurroundings,
    ) -> Self {
        let given: Vec<_> = declared.iter().flat_map(ServerLaunch::all_secrets).collect();
        let secrets = known_secrets_with(&given);
        let (mut configs, mut unusable) = (Vec::new(), Vec::new());
        for server in wanted(declared, offered) {
            match server.to_config(root, &secrets) {
                Ok(config) => configs.push(config),
                Err(why) => unusable.push((server.name.clone(), why)),
            }
        }
        let mut options = Options::default();
        options.spill = surroundings.spill;
        options.decoder = Arc::new(surroundings.decoder);
        options.elicitor.clone_from(&surroundings.elicitor);
        Self {
            servers: McpServers::begin(configs, options),
            offered: offered.clone(),
            unusable: unusable.into(),
            advice: advice(declared, offered),
            secrets,
            elicitor: surroundings.elicitor,
        }
    }

    /// Returns the line that says which servers start, if there are any.
    pub fn notice(declared: &[DeclaredServer], offered: &OfferedTools) -> Option<String> {
        let names: Vec<_> = wanted(declared, offered).map(|server| &*server.name).collect();
        (!names.is_empty()).then(|| format!("starting MCP servers: {}", names.join(", ")))
    }

    /// Waits briefly until all servers can be used or have failed, and returns a line about each
    /// missing one.
    pub async fn settle(&self, cancel: &CancellationToken) -> Vec<String> {
        tokio::select! {
            () = self.servers.settle() => {}
            () = cancel.cancelled() => return Vec::new(),
        }
        let missing = self.servers.statuses().into_iter().filter_map(|status| missing(&status));
        let unusable = self.unusable.iter().map(|(name, why)| unusable(name, why));
        let lines = self.advice.iter().cloned().chain(unusable).chain(missing);
        lines.map(|line| self.secrets.mask(&line).into_owned()).collect()
    }

    /// Returns the tools that are offered.
    pub fn tools(&self) -> OfferedServerTools {
        OfferedServerTools::new(self.servers.clone(), self.offered.clone(), None)
    }

    /// Returns the tools that these names and patterns stand for.
    pub fn tools_named(&self, named: Vec<String>) -> OfferedServerTools {
        OfferedServerTools::new(self.servers.clone(), self.offered.clone(), Some(named))
    }

    /// Returns the servers themselves, for their prompts and texts.
    pub const fn servers(&self) -> &McpServers {
        &self.servers
    }

    /// Returns whether no server is declared, not even one that cannot be started.
    pub fn is_empty(&self) -> bool {
        self.unusable.is_empty() && self.servers.statuses().is_empty()
    }

    /// Returns the elicitor, if there is one.
    pub fn elicitor(&self) -> Option<Arc<dyn Elicitor>> {
        self.elicitor.clone()
    }

    /// Returns all secrets that are known, with those that the servers get.
    pub fn secrets(&self) -> Secrets {
        self.secrets.clone()
    }

    /// Ends all servers, and waits until their programs have ended.
    pub async fn close(&self) {
        self.servers.close().await;
    }
}

/// Returns a line about each program with a word that leads to its empty folder.
fn advice(declared: &[DeclaredServer], offered: &OfferedTools) -> Arc<[String]> {
    let advice = |server: &DeclaredServer| {
        Some(format!("MCP server {}: {}", server.name, server.program()?.advice()?))
    };
    wanted(declared, offered).filter_map(advice).collect()
}

/// Returns the servers whose tools may be offered.
fn wanted<'a>(
    declared: &'a [DeclaredServer],
    offered: &'a OfferedTools,
) -> impl Iterator<Item = &'a DeclaredServer> {
    declared.iter().filter(|server| offered.may_offer(&server.name))
}

/// Returns the line about a server that cannot be used yet.
fn missing(status: &ServerStatus) -> Option<String> {
    let ServerStatus { name, failure, revision, .. } = status;
    match (failure, revision) {
        (Some(why), _) if status.is_refused => Some(format!("MCP server {name}: {why}")),
        (Some(why), _) => Some(unusable(name, why)),
        (None, Some(_)) => None,
        (None, None) => Some(unusable(name, "it still starts, and its tools join when it answers")),
    }
}

fn unusable(name: &str, why: &str) -> String {
    format!("MCP server {name}: {why}; silcrow mcp test {name} shows more")
}
