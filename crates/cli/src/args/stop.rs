//! The arguments of `silcrow stop`, as clap reads them.

use std::path::PathBuf;

/// Which conversation, and where it is kept.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
The run ends as with Ctrl-C there: its calls are stopped, and what it has said so far stays. The
command asks for the stop and does not wait for it; silcrow log show ID --follow shows the end.")]
pub(crate) struct StopArgs {
    /// The conversation
    pub(crate) conversation: String,
    /// Where conversations are kept [default: $XDG_DATA_HOME/silcrow]
    #[arg(long, value_name = "DIR|URL")]
    pub(crate) store: Option<PathBuf>,
}
