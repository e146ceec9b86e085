//! The arguments of `silcrow import`, as clap reads them.

use std::path::PathBuf;

use silcrow_settings::ForeignTool;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Shows what is found, and writes nothing without --yes or your yes at the terminal. No key is copied.
Skills and instructions of projects need no import: silcrow reads them where they are.")]
pub(crate) struct ImportArgs {
    /// The tool: claude or codex; both unless one is named
    pub(crate) tool: Option<ForeignTool>,
    /// The folder of a project whose servers are imported, too
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub(crate) root: PathBuf,
    /// Write without asking
    #[arg(long, short)]
    pub(crate) yes: bool,
}
