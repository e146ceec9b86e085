//! The arguments of `silcrow dev replay`, as clap reads them.

use super::AgentArgs;
use super::run::RUN_TOPICS;

/// The arguments of `silcrow dev replay`.
#[derive(Debug, clap::Args)]
#[command(after_help = RUN_TOPICS)]
pub(crate) struct ReplayArgs {
    /// The id of the conversation whose prompts to run again; it stays as it is
    pub(crate) conversation: String,
    /// The id of the new conversation [default: a new id]
    #[arg(long = "as", value_name = "NEWID")]
    pub(crate) named: Option<String>,
    #[command(flatten)]
    pub(crate) agent: AgentArgs,
}
