//! The tools of MCP servers, over standard input and output or HTTP.
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
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let address = ServerAddress::command(["a-program-that-is-not-there"]);
//! let servers = McpServers::start(vec![ServerConfig::new("files", address)?], Options::default());
//! let servers = servers.await;
//!
//! // A server that cannot be reached has no tools, and everything else works.
//! let mut tools = Toolbox::new();
//! for tool in servers.tools() {
//!     tools.add(tool)?;
//! }
//! assert!(servers.statuses()[0].failure.is_some());
//! servers.close().await;
//! # Ok(())
//! # }
//! ```
//!
//! ```text
//! McpServers ─► ServerHandle ─► Connection ─► program in a process group, or HTTP
//!     │           ▲
//!     └─► tools ──┘  `server.tool`, each a `Tool` of silcrow-exec
//! ```
//!
//! A server is asked whether it speaks the stateless revision 2026-07-28, and otherwise shakes hands
//! by `initialize`. Servers start in parallel, within the patience of [`Options`]; one that is slower
//! joins later. A server that ends is started again by the next call, after pauses that grow.
//!
//! A call has a time limit, which begins again whenever the server reports progress of the call, until
//! [`ServerConfig::progress_timeout`] is over. A call that is lost fails alone. Its result says that
//! its outcome is unknown, unless the tool is read-only or idempotent: such a call is sent once more.
//! A server's claims about its tools are believed only if [`ServerConfig::is_trusted`]; otherwise a
//! person is asked about each call.
//!
//! The program of a server gets few variables of the environment, and no keys unless they are
//! declared. It ends with the last clone of [`McpServers`] and the last tool, by the end of its input,
//! TERM and KILL, together with all processes of its group, and also if this process is killed.
//!
//! A program is looked for in the absolute folders of `PATH` only, and can run in an empty folder that
//! is made for each start ([`ServerCommand::empty_folders`]). A later start is compared with the first
//! one: if the program or a named file has changed, a person is asked, and where nobody is asked it
//! does not start.
//!
//! # What this crate does not do
//!
//! - It confines no server: a program may do what the person may do.
//! - It lends a server neither a model nor a list of folders, and opens no address for one.
//! - It does not log in: a server over HTTP gets the token and the headers that are declared for it
//!   ([`HeaderSource`]). With the feature `oauth`, a person can log in with a browser (`OAuthLogin`),
//!   and programs without a person can use the credentials of that login (`OAuthLogin::kept`).
//! - It fetches nothing that a schema refers to.
//! - It does not keep a session that a server over HTTP has forgotten.
//! - Without the feature `client`, which is on by default, it starts no server: each has a failure that says
//!   so, and no tools. Declarations, questions and logins are there all the same, so that a program needs no
//!   second version of what it does with servers.

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
