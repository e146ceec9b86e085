//! The arguments about what a person sees of a run.

use clap::ValueEnum;

/// How much of a run is shown on a terminal.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
#[command(next_help_heading = "What is shown on a terminal")]
pub(crate) struct ShowArgs {
    /// How thoughts are shown: brief, full or off
    #[arg(long, value_name = "HOW", value_enum)]
    pub(crate) thoughts: Option<Thoughts>,
    /// What is shown of changes in files: full, short or off [default: full, and short in a pipe]
    #[arg(long, value_name = "HOW", value_enum)]
    pub(crate) diff: Option<DiffShown>,
    /// The colours: dark, light or plain
    #[arg(long, value_name = "THEME", value_enum)]
    pub(crate) theme: Option<ThemeName>,
    /// Show the answer, questions and errors, and nothing more
    #[arg(long, short, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// Show all that calls print, and faults in the text
    #[arg(long, short)]
    pub(crate) verbose: bool,
}

/// The name of a theme.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ThemeName {
    Dark,
    Light,
    Plain,
}

impl ThemeName {
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Dark => "dark",
            Self::Light => "light",
            Self::Plain => "plain",
        }
    }
}

/// How thoughts are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Thoughts {
    /// One line each
    #[default]
    Brief,
    /// Whole
    Full,
    /// Not at all
    Off,
}

/// What is shown of a change in a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum DiffShown {
    /// The lines that changed
    #[default]
    Full,
    /// A line for each file
    Short,
    /// Nothing
    Off,
}

/// How much is shown about a run, from the least to the most.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Detail {
    /// The answer, questions and errors.
    Quiet,
    /// Also calls, without what they print.
    Brief,
    #[default]
    Normal,
    Verbose,
}

impl ShowArgs {
    /// Returns what is shown of changes in files, on a terminal or in a pipe.
    pub(crate) fn diff(&self, is_live: bool) -> DiffShown {
        match (self.diff, self.quiet, is_live) {
            (Some(diff), _, _) => diff,
            (None, true, _) => DiffShown::Off,
            (None, false, true) => DiffShown::Full,
            (None, false, false) => DiffShown::Short,
        }
    }

    pub(crate) fn detail(&self) -> Detail {
        match (self.quiet, self.verbose) {
            (true, _) => Detail::Quiet,
            (false, true) => Detail::Verbose,
            (false, false) => Detail::Normal,
        }
    }
}
