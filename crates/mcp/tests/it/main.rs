//! A real server in a separate process, which fails in the ways that servers fail.

mod asking;
mod failures;
mod http;
mod lists;
mod odd_servers;
mod processes;
mod results;
mod starts;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use silcrow_mcp::{McpServers, Options, ServerAddress, ServerConfig};
use silcrow_tool::{CallContext, Scope, Tool, ToolArgs, ToolError, ToolOutput};

/// The server of the tests under the name `test`, and its tools by their own names.
struct Reached {
    servers: McpServers,
    tools: BTreeMap<String, Arc<dyn Tool>>,
}

impl Reached {
    async fn start(ways: &[&str]) -> Self {
        Self::with(config(ways), Options::default()).await
    }

    async fn with(config: ServerConfig, options: Options) -> Self {
        let servers = McpServers::start(vec![config], options).await;
        let mut reached = Self { servers, tools: BTreeMap::new() };
        reached.list();
        reached
    }

    fn list(&mut self) {
        let own = |tool: Arc<dyn Tool>| {
            let name = tool.name();
            (name.strip_prefix("test.").unwrap_or(name).to_owned(), tool)
        };
        self.tools = self.servers.tools().into_iter().map(own).collect();
    }

    async fn call(&self, tool: &str, args: Value) -> Result<ToolOutput, ToolError> {
        let args = args.to_string();
        self.tools[tool].call(ToolArgs::new(&args), &context()).await
    }

    async fn text(&self, tool: &str, args: Value) -> String {
        self.call(tool, args).await.unwrap().content.text().into_owned()
    }

    async fn failure(&self, tool: &str) -> String {
        self.call(tool, json!({})).await.unwrap_err().to_string()
    }
}

/// Returns the path of the server, which is an example of this crate.
fn program() -> String {
    let own = std::env::current_exe().unwrap();
    let built = own.ancestors().nth(2).unwrap().join("examples/failing_server");
    built.into_os_string().into_string().unwrap()
}

fn config(ways: &[&str]) -> ServerConfig {
    let program = program();
    let words = [&*program].into_iter().chain(ways.iter().copied());
    let config = ServerConfig::new("test", ServerAddress::command(words)).unwrap();
    config.with_timeout(Duration::from_secs(20)).with_start_timeout(Duration::from_secs(20))
}

fn context() -> CallContext {
    CallContext::new(Scope::new("c1"), "1")
}
