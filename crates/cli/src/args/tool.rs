//! The arguments of `silcrow tools` and `silcrow tool`.

use std::path::PathBuf;

use super::{McpArgs, PolicyArgs, WebArgs};

/// Which tools `silcrow tools` lists, and how.
#[derive(Debug, clap::Args)]
pub(crate) struct ListToolsArgs {
    /// Print JSON, one object a line, also on a terminal
    #[arg(long)]
    pub(crate) json: bool,
    /// The folder that the tools see, and nothing beyond it
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub(crate) root: PathBuf,
    #[command(flatten)]
    pub(crate) mcp: McpArgs,
}

/// The arguments of `silcrow tool`: the call and its surroundings.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
The call is treated as a model's would be: with the same folder, protected files, questions, limits
and record of changes. It is stored as a conversation, so that silcrow undo can take its changes back.
The content of the result is printed on standard output, and everything else on standard error; if
the call fails, the exit code is 1. Examples:
  silcrow tool file_read '{\"file\":\"README.md\"}'
  silcrow tool file_search '{\"query\":\"fn main\"}' --root src")]
pub(crate) struct CallToolArgs {
    /// The name of the tool; silcrow tools lists them
    pub(crate) name: String,
    /// The arguments, a JSON object; `-` is standard input
    #[arg(default_value = "{}", value_name = "JSON")]
    pub(crate) args: String,
    /// Print the events of the call, one JSON object a line
    #[arg(long)]
    pub(crate) json: bool,
    /// A tool that may run without asking you; may be repeated
    #[arg(long, value_name = "TOOL")]
    pub(crate) allow: Vec<String>,
    #[command(flatten)]
    pub(crate) mcp: McpArgs,
    #[command(flatten)]
    pub(crate) policy: PolicyArgs,
    /// The conversation to continue: its id, or the beginning of it [default: a new one]
    #[arg(long, value_name = "ID")]
    pub(crate) conversation: Option<String>,
    /// Begin a conversation under this id
    #[arg(long, value_name = "ID", conflicts_with = "conversation")]
    pub(crate) new: Option<String>,
    /// The user who calls [default: SILCROW_USER, or no user]
    #[arg(long, value_name = "NAME")]
    pub(crate) user: Option<String>,
    /// Where conversations are kept: a folder, a database, or `memory` [default: $XDG_DATA_HOME/silcrow]
    #[arg(long, value_name = "PLACE")]
    pub(crate) store: Option<PathBuf>,
    /// The folder that the tools see, and nothing beyond it
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub(crate) root: PathBuf,
    #[command(flatten)]
    pub(crate) web: WebArgs,
}
