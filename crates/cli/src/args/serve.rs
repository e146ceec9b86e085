//! The arguments of `silcrow serve`, as clap reads them.

use std::net::SocketAddr;

use super::AgentArgs;

/// Where an agent is served, and which one.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
It prints a link with its token, and serves until Ctrl-C. Calls that need a yes wait for an answer
over HTTP or by silcrow answer, unless --on-question deny. GET /openapi.json describes the endpoints.

More: silcrow help models, permissions, limits, dialects, web, conversations, environment, exit-codes")]
pub(crate) struct ServeArgs {
    /// The address and the port; port 0 is any that is free
    #[arg(long, value_name = "IP:PORT", default_value = "127.0.0.1:4180")]
    pub(crate) listen: SocketAddr,
    /// Let other machines connect, where the address allows it. There is no encryption: use a proxy
    #[arg(long)]
    pub(crate) allow_remote: bool,
    /// A name by which the server may be reached; may be repeated
    #[arg(long = "host", value_name = "NAME")]
    pub(crate) hosts: Vec<String>,
    /// The origin of another page that may use the server; may be repeated
    #[arg(long = "origin", value_name = "URL")]
    pub(crate) origins: Vec<String>,
    #[command(flatten)]
    pub(crate) agent: AgentArgs,
}
