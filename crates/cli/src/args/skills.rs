//! The arguments of `silcrow skills`, as clap reads them.

use std::path::PathBuf;

#[derive(Debug, clap::Args)]
#[command(after_help = "More: silcrow help skills")]
pub(crate) struct SkillsArgs {
    /// The folder of the project
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub(crate) root: PathBuf,
    /// Print one JSON object for each
    #[arg(long)]
    pub(crate) json: bool,
}
