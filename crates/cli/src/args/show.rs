//! The arguments about the display of a run.

use silcrow_console::options::{DiffShown, ShownParts, ThemeName, Thoughts};

use super::values;

/// How much of a run is shown on a terminal.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
#[command(next_help_heading = "What is shown on a terminal")]
pub(crate) struct ShowArgs {
    /// How thoughts are shown: brief, full or off
    #[arg(long, value_name = "HOW", value_parser = values::thoughts())]
    pub(crate) thoughts: Option<Thoughts>,
    /// What is shown of changes in files: full, short or off [default: full, and short in a pipe]
    #[arg(long, value_name = "HOW", value_parser = values::diff())]
    pub(crate) diff: Option<DiffShown>,
    /// The colours: dark, light, plain or auto
    #[arg(long, value_name = "THEME", value_parser = values::theme())]
    pub(crate) theme: Option<ThemeName>,
    /// Show the answer, questions and errors, and nothing more
    #[arg(long, short, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// Show everything that calls print, and diagnostics
    #[arg(long, short)]
    pub(crate) verbose: bool,
}

impl From<ShowArgs> for ShownParts {
    fn from(args: ShowArgs) -> Self {
        let ShowArgs { thoughts, diff, theme, quiet, verbose } = args;
        Self { thoughts, diff, theme, quiet, verbose, ..Self::default() }
    }
}
