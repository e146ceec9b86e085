//! The MCP servers of a session: begun once, shared by the agents that are made in it, and ended with
//! it.
//!
//! `silcrow_settings` reads declarations, and `silcrow_mcp` starts servers and calls their tools. This
//! module knows both.

mod launch;
mod logins;
mod run_servers;
mod sent_headers;
mod source;
mod tried;

pub use launch::ServerLaunch;
pub use logins::{kept_logins, login_folder};
pub use run_servers::{RunServers, ServerSurroundings};
pub use source::OfferedServerTools;
pub use tried::TriedServer;
