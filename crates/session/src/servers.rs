//! A session's MCP servers: started once, shared by its agents, and stopped with it.
//!
//! `silcrow_settings` reads the declarations, and `silcrow_mcp` starts servers and calls their
//! tools; this module connects the two.

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
