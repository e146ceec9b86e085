//! The arguments of `silcrow chat`, as clap reads them.

use super::AgentArgs;

/// A session at the terminal.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
In the session:
  Enter          sends; Alt-Enter begins a new line; @FILE names a file
  /, ?           show the commands, and the keys
  !COMMAND       runs a command of yours
  Esc            stops the answer; Ctrl-D leaves the session
  Esc Esc        takes the last prompt back to edit it
What you type while the agent works is sent to it between two steps.")]
pub(crate) struct ChatArgs {
    /// The first prompt
    pub(crate) prompt: Option<String>,
    /// Continue the conversation whose id begins like this
    #[arg(long, value_name = "ID")]
    pub(crate) conversation: Option<String>,
    /// Continue the last one of this folder
    #[arg(long = "continue", short = 'c', conflicts_with = "conversation")]
    pub(crate) continue_last: bool,
    /// Continue one that you pick from a list
    #[arg(long, short = 'r', conflicts_with_all = ["conversation", "continue_last"])]
    pub(crate) resume: bool,
    #[command(flatten)]
    pub(crate) agent: AgentArgs,
}
