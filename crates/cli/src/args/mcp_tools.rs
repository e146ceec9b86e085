//! The arguments about the MCP servers whose tools an agent has, as clap reads them.

use silcrow_settings::DeclaredServer;

/// The MCP servers whose tools an agent has.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct McpArgs {
    /// A server whose tools the agent has, too: NAME=COMMAND or NAME=URL; may be repeated
    #[arg(long, value_name = "NAME=SERVER", value_parser = DeclaredServer::typed)]
    pub(crate) mcp: Vec<DeclaredServer>,
    /// Start no server of the settings
    #[arg(long)]
    pub(crate) no_mcp: bool,
}
