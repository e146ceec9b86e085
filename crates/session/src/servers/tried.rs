//! The result of trying a server: its offer, or the reason why it cannot be used.

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::json;
use silcrow_mcp::{McpServers, OAuthLogin, Options, ServerConfig, ServerResource, ServerStatus};
use silcrow_sanitize::{Secrets, sanitize_line};
use silcrow_settings::{DeclaredProgram, DeclaredServer, known_secrets_with};
use silcrow_term::fit::shortened;
use silcrow_term::plural::count;
use silcrow_tool::{ApprovalNeed, Tool as _, ToolPolicy};
use tokio::time::timeout;

use super::launch::ServerLaunch as _;

/// A report about a server that was tried.
#[derive(Debug)]
pub struct TriedServer {
    name: String,
    place: String,
    took: Duration,
    /// The state of the server, or why it was not even started.
    status: Result<ServerStatus, String>,
    /// The names and the policies of its tools.
    tools: Vec<(String, ToolPolicy)>,
    resources: Vec<ServerResource>,
    /// Advice on the declaration.
    advice: Option<String>,
    secrets: Secrets,
}

impl TriedServer {
    /// Starts a server, lists its offers, and ends it. Nobody logs in for it.
    pub async fn make(server: &DeclaredServer, root: &Path, patience: Duration) -> Self {
        // The report reads the tokens that are kept, with those that were renewed.
        let config = server.to_config(root, &Secrets::default());
        Self::with(server, config, patience).await
    }

    /// Does the same, and the person logs in if the server wants it.
    pub async fn attended(
        server: &DeclaredServer,
        root: &Path,
        patience: Duration,
        login: &OAuthLogin,
    ) -> Self {
        let config = server.to_config_with(root, Some(login.clone()));
        Self::with(server, config, patience + login.patience()).await
    }

    async fn with(
        server: &DeclaredServer,
        config: Result<ServerConfig, String>,
        patience: Duration,
    ) -> Self {
        let began = Instant::now();
        let mut report = Self {
            name: server.name.clone(),
            place: server.place.to_string(),
            took: Duration::ZERO,
            status: Err(String::new()),
            tools: Vec::new(),
            resources: Vec::new(),
            advice: server.program().and_then(DeclaredProgram::advice),
            secrets: known_secrets_with(&server.all_secrets()),
        };
        let config = match config {
            Ok(config) => config,
            Err(why) => {
                report.status = Err(why);
                return report;
            }
        };
        let mut options = Options::default();
        options.patience = patience;
        options.budget.tools = usize::MAX;
        options.budget.bytes = usize::MAX;
        let servers = McpServers::start(vec![config], options).await;
        report.took = began.elapsed();
        let tools = servers.tools();
        report.tools = tools.iter().map(|tool| (tool.name().to_owned(), tool.policy())).collect();
        let is_there = servers.statuses().iter().all(|status| status.revision.is_some());
        if is_there && let Ok(Ok(listed)) = timeout(FOR_LIST, servers.resources(&server.name)).await
        {
            report.resources = listed;
        }
        // A login has made others.
        report.secrets = known_secrets_with(&server.all_secrets());
        // The report includes its output while it ended.
        servers.close().await;
        let status = servers.statuses().into_iter().next();
        report.status = status.ok_or_else(|| "it was not started".to_owned());
        report
    }

    /// Returns whether the server can be used.
    pub fn is_well(&self) -> bool {
        self.failure().is_none()
    }

    /// Returns the reason why the server cannot be used.
    pub fn failure(&self) -> Option<String> {
        let why = match &self.status {
            Err(why) => why.clone(),
            Ok(ServerStatus { failure: Some(why), .. }) => why.clone(),
            Ok(ServerStatus { revision: None, .. }) => "it did not answer in time".to_owned(),
            Ok(_) => return None,
        };
        Some(self.secrets.mask(&why).into_owned())
    }

    /// Summarizes the offers of the server on one line.
    pub fn summary(&self) -> String {
        let Ok(status) = &self.status else { return String::new() };
        let named = status.program.as_deref().unwrap_or("a server without a name");
        let revision = status.revision.as_deref().unwrap_or_default();
        format!(
            "{}, {}, {}, {} in {:.1} s, revision {revision}",
            shortened(named, 60),
            count(self.tools.len() as u64, "tool"),
            count(status.prompts.len() as u64, "prompt"),
            count(self.resources.len() as u64, "resource"),
            self.took.as_secs_f64(),
        )
    }

    /// Returns the report as lines for a person.
    pub fn to_text(&self) -> String {
        let mut lines = Vec::new();
        match self.failure() {
            Some(why) => lines.push(format!("✗ {}: {why}", self.name)),
            None => lines.push(format!("✓ {}: {}", self.name, self.summary())),
        }
        lines.push(format!("  {}", self.place));
        lines.extend(self.advice.iter().map(|advice| format!("  ! {advice}")));
        for (name, policy) in &self.tools {
            lines.push(format!("    {name}: {}", behaviour(*policy)));
        }
        if let Ok(status) = &self.status {
            lines.extend(status.prompts.iter().map(|name| format!("    /{}:{name}", self.name)));
            let resources = self.resources.iter().take(MOST_LINES);
            lines.extend(resources.map(|one| format!("    @{}:{}", self.name, one.uri)));
            if self.resources.len() > MOST_LINES {
                lines.push(format!("    and {} more", self.resources.len() - MOST_LINES));
            }
            lines.extend(status.notices.iter().map(|notice| format!("  ! {notice}")));
            if !status.log.is_empty() {
                lines.push("  it wrote:".to_owned());
                let first = status.log.len().saturating_sub(MOST_LINES);
                lines.extend(status.log[first..].iter().map(|line| format!("    │ {line}")));
            }
        }
        let shown = |line: &String| format!("{}\n", sanitize_line(&self.secrets.mask(line)));
        lines.iter().map(shown).collect()
    }

    /// Returns the report as a line of JSON.
    pub fn to_json(&self) -> String {
        let status = self.status.as_ref().ok();
        let tools: Vec<_> = self.tools.iter().map(|(name, _)| name).collect();
        let resources: Vec<_> = self.resources.iter().map(|one| &one.uri).collect();
        let report = json!({
            "name": self.name,
            "failure": self.failure(),
            "seconds": self.took.as_secs_f64(),
            "program": status.and_then(|status| status.program.as_ref()),
            "revision": status.and_then(|status| status.revision.as_ref()),
            "tools": tools,
            "prompts": status.map(|status| &status.prompts),
            "resources": resources,
            "advice": self.advice,
            "notices": status.map(|status| &status.notices),
            "log": status.map(|status| &status.log),
        });
        format!("{}\n", silcrow_sanitize::escape_json(&self.secrets.mask(&report.to_string())))
    }
}

/// Returns the effects of a tool according to its server, if that is believed, and when a person is
/// asked.
fn behaviour(policy: ToolPolicy) -> &'static str {
    match (policy.may_start_early(), policy.approval) {
        (true, _) => "reads",
        (false, ApprovalNeed::Always) => "asks",
        (false, _) => "changes something",
    }
}

/// The longest time that the list of resources takes.
const FOR_LIST: Duration = Duration::from_secs(10);

/// The number of resources, and of lines of a log, that are shown.
const MOST_LINES: usize = 20;
