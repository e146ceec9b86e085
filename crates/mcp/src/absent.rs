//! The servers of a program that was built without a client: none of them starts, and each reports
//! that.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::{BoxFuture, ready};
use serde_json::{Map, Value};
use silcrow_tool::{Tool, ToolSource};

use crate::config::ServerConfig;
use crate::error::{Error, ErrorKind};
use crate::offered::{ServerPrompt, ServerResource, ServerText};
use crate::options::Options;
use crate::status::ServerStatus;

/// The declared servers of a program that cannot reach any.
#[derive(Clone)]
pub struct McpServers(Arc<[ServerConfig]>);

impl McpServers {
    /// Starts nothing.
    pub async fn start(configs: Vec<ServerConfig>, options: Options) -> Self {
        Self::begin(configs, options)
    }

    /// Begins nothing.
    pub fn begin(configs: Vec<ServerConfig>, _: Options) -> Self {
        Self(configs.into())
    }

    /// Waits for nothing.
    pub async fn settle(&self) {}

    /// Returns no tools.
    pub fn tools(&self) -> Vec<Arc<dyn Tool>> {
        Vec::new()
    }

    /// Returns no tools.
    pub fn tools_where(&self, _: impl Fn(&str) -> bool) -> Vec<Arc<dyn Tool>> {
        Vec::new()
    }

    /// Returns the state of each server, with the error that this program has no client.
    pub fn statuses(&self) -> Vec<ServerStatus> {
        let status = |config: &ServerConfig| ServerStatus {
            name: config.name.clone(),
            address: config.address.to_string(),
            is_trusted: config.is_trusted,
            program: None,
            revision: None,
            tools: Vec::new(),
            prompts: Vec::new(),
            notices: Vec::new(),
            failure: Some(ABSENT.to_owned()),
            is_refused: false,
            log: Vec::new(),
        };
        self.0.iter().map(status).collect()
    }

    /// Returns 0: nothing changes.
    pub const fn changes(&self) -> u64 {
        0
    }

    /// Reads nothing.
    pub async fn refresh(&self, _: Duration) {}

    /// Ends nothing.
    pub async fn close(&self) {}

    /// Returns no prompts.
    pub fn prompts(&self) -> Vec<ServerPrompt> {
        Vec::new()
    }

    /// Returns an error.
    ///
    /// # Errors
    ///
    /// Always returns an error: there is no client.
    pub async fn prompt(
        &self,
        _: &str,
        _: &str,
        _: Map<String, Value>,
    ) -> Result<ServerText, Error> {
        Err(absent())
    }

    /// Returns an error.
    ///
    /// # Errors
    ///
    /// Always returns an error: there is no client.
    pub async fn resources(&self, _: &str) -> Result<Vec<ServerResource>, Error> {
        Err(absent())
    }

    /// Returns whether there is a server of this name.
    pub fn has(&self, server: &str) -> bool {
        self.0.iter().any(|config| config.name == server)
    }

    /// Returns an error.
    ///
    /// # Errors
    ///
    /// Always returns an error: there is no client.
    pub async fn read_resource(&self, _: &str, _: &str) -> Result<ServerText, Error> {
        Err(absent())
    }
}

impl ToolSource for McpServers {
    fn tools(&self) -> BoxFuture<'_, Arc<[Arc<dyn Tool>]>> {
        Box::pin(ready(Arc::from([])))
    }
}

impl fmt::Debug for McpServers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.iter().map(|config| &config.name)).finish()
    }
}

fn absent() -> Error {
    Error::new(ErrorKind::Unreachable, ABSENT)
}

const ABSENT: &str =
    "this program was built without a client of MCP servers; build it with the feature `mcp`";
