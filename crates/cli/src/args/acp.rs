//! The arguments of `silcrow acp`, as clap reads them.

use super::AgentArgs;

/// An agent that an editor runs.
#[derive(Debug, clap::Args)]
#[command(args_override_self = true)]
#[command(after_help = "\
An editor starts this command and names the folder of each session, which takes the place of --root,
with the settings of that folder. It asks you about calls, and offers the modes of --permissions,
the levels of --effort and the dialects. The MCP servers that it names for a session are started, as
with --mcp; their questions are forms, where it shows these. In the settings of Zed, for example:

  \"agent_servers\": {\"silcrow\": {\"command\": \"silcrow\", \"args\": [\"acp\"]}}")]
pub(crate) struct AcpArgs {
    #[command(flatten)]
    pub(crate) agent: AgentArgs,
}
