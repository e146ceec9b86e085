//! Offers an agent to other agents as a tool, through the Model Context Protocol.
//!
//! ```toml
//! [dependencies]
//! silcrow-agent = "0.1"
//! silcrow-mcp-server = "0.1"
//! silcrow-provider = "0.1"
//! silcrow-server = "0.1"
//! silcrow-store = "0.1"
//! tokio = { version = "1", features = ["io-std", "macros", "rt"] }
//! ```
//!
//! ```
//! use std::sync::Arc;
//!
//! use silcrow_agent::Agent;
//! use silcrow_mcp_server::McpEndpoint;
//! use silcrow_provider::ScriptedModel;
//! use silcrow_server::{RunPlace, Server, ServerUser};
//! use silcrow_store::MemoryStore;
//!
//! #[tokio::main(flavor = "current_thread")]
//! async fn main() {
//!     let store = Arc::new(MemoryStore::new());
//!     let model = ScriptedModel::parse("§respond: Four.\n§end", 1);
//!     let agent = Agent::new(model, Arc::clone(&store));
//!     let endpoint = McpEndpoint::new(Server::new(store, move |_: &RunPlace| agent.clone()));
//!
//!     // Standard input and output of the process, for example.
//!     let (stdin, stdout) = (tokio::io::stdin(), tokio::io::stdout());
//! # let (ours, _) = tokio::io::duplex(1);
//! # let (stdin, stdout) = tokio::io::split(ours);
//!     endpoint.serve_lines(ServerUser::default(), stdin, stdout).await.unwrap();
//! }
//! ```
//!
//! A client gets the tool `run`, and one tool for each [declared](DeclaredTool) agent and workflow.
//! Each call is a run of the [server](silcrow_server::Server), so its conversation is in the
//! server's store, where everything else can read, follow and continue it:
//!
//! ```text
//! client ─► tools/call ─► Server ─► run ─► log
//!    ▲                               │
//!    └── progress, questions, result ┘
//! ```
//!
//! All protocol revisions from 2024-11-05 to 2026-07-28 are supported, over lines
//! ([`McpEndpoint::serve_lines`]) and streamable HTTP ([`McpEndpoint::router`]). A call that needs
//! approval becomes a question in the client: `input_required` in 2026-07-28, and a request from
//! the server in earlier revisions. A client that cannot show forms receives a text that explains
//! how the person can answer elsewhere. A long call becomes a task for clients with that extension,
//! and a cancelled call is stopped.
//!
//! # What it does not do
//!
//! - It offers no resources, prompts or completions, and does not ask clients for sampling or
//!   roots.
//! - It has no tool that answers questions on behalf of a person.
//! - It is not a client; `silcrow-mcp` is.

mod abilities;
mod answers;
mod declared;
mod endpoint;
mod handler;
mod http;
mod offer;
mod options;
mod progress;
mod question;
mod run_call;
mod stored_run;
mod task;
mod written_call;

pub use declared::DeclaredTool;
pub use endpoint::McpEndpoint;
pub use http::mount;
pub use options::Options;
