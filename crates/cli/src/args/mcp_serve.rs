//! The arguments of `silcrow mcp serve`, as clap reads them.

use super::AgentArgs;

/// An agent that other agents call as a tool.
#[derive(Debug, clap::Args)]
#[command(args_override_self = true)]
#[command(after_help = "\
The other agent starts this command, and gets the tool run, and a tool for each agent and workflow of
the manifest. Calls that need a yes are asked about there, if that program can ask, and otherwise
wait for silcrow runs answer, unless --on-question deny. In the settings of many programs:

  \"mcpServers\": {\"silcrow\": {\"command\": \"silcrow\", \"args\": [\"mcp\", \"serve\"]}}

silcrow serve offers the same over HTTP at /mcp.")]
pub(crate) struct McpServeArgs {
    #[command(flatten)]
    pub(crate) agent: AgentArgs,
}
