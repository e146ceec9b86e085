//! The arguments of `silcrow run`, as clap reads them.

use std::path::PathBuf;

use clap::ArgGroup;

use super::AgentArgs;

#[derive(Debug, clap::Args)]
#[command(after_help = RUN_TOPICS)]
#[command(group(ArgGroup::new("existing").args(["conversation", "continue_last"])))]
pub(crate) struct RunArgs {
    /// The prompt; `-`, or nothing with piped input, reads standard input
    pub(crate) prompt: Option<String>,
    /// A file for the prompt; `-` waits for standard input
    #[arg(long = "file", value_name = "PATH", conflicts_with_all = ["resume", "retry"])]
    pub(crate) files: Vec<PathBuf>,
    /// Continue the conversation whose id begins like this
    #[arg(long, value_name = "ID")]
    pub(crate) conversation: Option<String>,
    /// Continue the last conversation of this folder
    #[arg(long = "continue", short = 'c', alias = "last", conflicts_with = "conversation")]
    pub(crate) continue_last: bool,
    /// Send the prompt to the conversation's run at work
    #[arg(long, requires = "existing", conflicts_with_all = ["files", "resume", "retry"])]
    pub(crate) steer: bool,
    /// Begin a conversation under this id
    #[arg(long, value_name = "ID", conflicts_with = "existing")]
    pub(crate) new: Option<String>,
    /// Begin with the history of another, up to event SEQ
    #[arg(long, value_name = "ID[@SEQ]", conflicts_with = "existing")]
    pub(crate) fork: Option<String>,
    /// Continue a run that waits for answers or was stopped
    #[arg(long, requires = "existing", conflicts_with_all = ["prompt", "fork"])]
    pub(crate) resume: bool,
    /// Ask again when the last answer was cut or failed
    #[arg(long, conflicts_with_all = ["prompt", "fork", "new", "resume"])]
    pub(crate) retry: bool,
    /// Write the answer to this file, too
    #[arg(long, short = 'o', value_name = "FILE", conflicts_with = "steer")]
    pub(crate) output: Option<PathBuf>,
    /// Take an answer only if it is JSON that fits the JSON schema of this file
    #[arg(long, value_name = "FILE", conflicts_with_all = ["steer", "resume", "retry"])]
    pub(crate) output_schema: Option<PathBuf>,
    /// Send the prompt command or skill of this name, with the prompt as its words
    #[arg(long = "command", value_name = "NAME", conflicts_with_all = ["steer", "resume", "retry"])]
    pub(crate) named: Option<String>,
    #[command(flatten)]
    pub(crate) agent: AgentArgs,
}

/// The last lines of the help of `silcrow run` and its like.
pub(super) const RUN_TOPICS: &str = "\
More: silcrow help models, permissions, mcp, limits, dialects, web, conversations, environment, exit-codes";
