//! The arguments of `silcrow worktree`, as clap reads them.

use std::path::PathBuf;

#[derive(Debug, clap::Args)]
pub(crate) struct WorktreeArgs {
    /// A folder of the repository
    #[arg(long, value_name = "DIR", default_value = ".", global = true)]
    pub(crate) root: PathBuf,
    #[command(subcommand)]
    pub(crate) command: WorktreeCommand,
}

/// The subcommands of `silcrow worktree`.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum WorktreeCommand {
    /// List the worktrees that --worktree made, with what is in them
    List,
    /// Remove one with its branch, unless changes or commits would be lost
    Remove {
        /// The name of the worktree
        name: String,
    },
}
