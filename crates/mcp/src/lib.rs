//! Uses the tools of MCP servers, over standard input and output or HTTP.
//!
//! ```toml
//! [dependencies]
//! silcrow-tool = "0.1"
//! silcrow-mcp = "0.1"
//! tokio = { version = "1", features = ["macros", "rt", "time"] }
//! ```
//!
//! ```
//! use silcrow_mcp::{McpServers, Options, ServerAddress, ServerConfig};
//! use silcrow_tool::Toolbox;
//!
//! #[tokio::main(flavor = "current_thread")]
//! async fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     let address = ServerAddress::command(["a-program-that-is-not-there"]);
//!     let servers = McpServers::start(vec![ServerConfig::new("files", address)?], Options::default());
//!     let servers = servers.await;
//!
//!     // A server that cannot be reached has no tools, and everything else works.
//!     let mut tools = Toolbox::new();
//!     for tool in servers.tools() {
//!         tools.add(tool)?;
//!     }
//!     assert!(servers.statuses()[0].failure.is_some());
//!     servers.close().await;
//!     Ok(())
//! }
//! ```
//!
//! ```text
//! McpServers ─► ServerHandle ─► Connection ─► program in a process group, or HTTP
//!     │           ▲
//!     └─► tools ──┘  `server.tool`, each a `Tool` of silcrow-exec
//! ```
//!
//! A server is first asked whether it speaks the stateless revision 2026-07-28; otherwise the
//! client falls back to `initialize`. Servers start in parallel, within the patience of
//! [`Options`]; slower ones join later. If a server ends, the next call starts it again, after
//! growing pauses.
//!
//! A call's time limit starts again whenever the server reports progress, until
//! [`ServerConfig::progress_timeout`] has passed. A lost call fails alone. Its result says that the
//! outcome is unknown, unless the tool is read-only or idempotent: such a call is sent once more. A
//! server's claims about its tools are believed only with [`ServerConfig::is_trusted`]; otherwise a
//! person is asked about each call.
//!
//! A server's program gets few environment variables, and no keys unless they are declared. It ends
//! with the last clone of [`McpServers`] and the last tool, together with its process group: its
//! input is closed, then it gets TERM, then KILL. It also ends if this process is killed.
//!
//! Programs are looked up only in the absolute folders of `PATH`, and can run in an empty folder
//! made for each start ([`ServerCommand::empty_folders`]). If the program or a named file has
//! changed since the first start, a person is asked before it starts again; if nobody can be asked,
//! it does not start.
//!
//! # What this crate does not do
//!
//! - It does not confine servers: a program may do everything that the person may do.
//! - It does not offer servers sampling, roots or an address to listen on.
//! - It does not log in: a server over HTTP gets its declared token and headers ([`HeaderSource`]).
//!   With the feature `oauth`, a person can log in with a browser (`OAuthLogin`), and unattended
//!   programs can use the stored credentials (`OAuthLogin::kept`).
//! - It does not fetch schemas by reference.
//! - It does not restore a session that an HTTP server has forgotten.
//! - Without the feature `client`, which is on by default, it starts no servers: each one reports
//!   an error, and has no tools. Declarations, questions and logins still work, so a program needs
//!   no second version of its code.

#![cfg_attr(
    not(feature = "client"),
    allow(dead_code, reason = "what only the client uses belongs to the declarations")
)]

#[cfg_attr(not(feature = "client"), path = "absent.rs")]
mod client;
mod config;
mod elicit;
mod environment;
mod error;
#[cfg(feature = "client")]
mod headed_client;
mod headers;
mod loopback;
#[cfg(feature = "oauth")]
mod oauth;
mod offered;
mod options;
mod status;
mod typed_field;

pub use crate::client::McpServers;
pub use crate::config::{ServerAddress, ServerCommand, ServerConfig, ServerUrl};
pub use crate::elicit::{Elicitation, ElicitationAnswer, ElicitationField, Elicitor};
pub use crate::error::{Error, ErrorKind};
pub use crate::headers::{HeaderSource, ServerHeaders, check_header_name};
#[cfg(feature = "oauth")]
pub use crate::oauth::{BrowserPrompt, KeptLogins, LoginPrompt, OAuthLogin, RegisteredClient};
pub use crate::offered::{ServerPrompt, ServerResource, ServerText};
pub use crate::options::{DefinitionBudget, Options};
pub use crate::status::ServerStatus;
