//! The check of the MCP servers that are declared.

use std::path::Path;
use std::time::Duration;

use futures_util::future::join_all;

use super::{CheckStatus, Finding};
use crate::config::ConfigOverview;
use silcrow_session::servers::TriedServer;

/// Starts the servers in parallel, and prints the offers of each, or the reason why it cannot be
/// used.
pub(super) async fn check(settings: Option<&ConfigOverview>, offline: bool) -> Vec<Finding> {
    let servers = settings.map(|settings| &settings.servers[..]).unwrap_or_default();
    let checks = servers.iter().map(|server| async move {
        let name = &server.name;
        if server.is_off || offline {
            let why = if server.is_off { "it is off" } else { "it is not started (--offline)" };
            return Finding::new("mcp", CheckStatus::Good, format!("{name}: {why}"));
        }
        let report = TriedServer::make(server, Path::new("."), PATIENCE).await;
        match report.failure() {
            None => {
                let folder = server.program().and_then(|program| program.folder_words());
                let folder = folder.map_or_else(String::new, |folder| format!(", {folder}"));
                let text = format!("{name}: {}{folder}", report.summary());
                Finding::new("mcp", CheckStatus::Good, text)
            }
            Some(why) => {
                let text = format!("{name}: {why}; silcrow mcp test {name} shows more");
                Finding::new("mcp", CheckStatus::Wrong, text)
            }
        }
    });
    join_all(checks).await
}

/// The longest time that a server may take to start.
const PATIENCE: Duration = Duration::from_secs(15);
