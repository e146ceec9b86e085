//! The arguments of `silcrow diff`.

use std::num::NonZeroU32;
use std::path::PathBuf;

use super::values::count;

/// What `silcrow diff` shows, and how.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
The difference is that of the calls that still stand, edits and commands alike, from what silcrow
keeps beside the conversations; it does not ask git. In a pipe it is a patch that git apply takes.
Files that are not text and those that may hold secrets are only named. What git ignores, files above
the limits and git's own data are not in it.")]
pub(crate) struct DiffArgs {
    /// The conversation [default: the one of this folder that was changed last]
    pub(crate) conversation: Option<String>,
    /// Only what the last run has changed, from your last prompt on
    #[arg(long)]
    pub(crate) last: bool,
    /// Only what this turn has changed, as `silcrow log show --json` numbers them
    #[arg(long, value_name = "N", value_parser = count, conflicts_with = "last")]
    pub(crate) turn: Option<NonZeroU32>,
    /// Print a line for each file, with the numbers of lines
    #[arg(long)]
    pub(crate) stat: bool,
    /// Print JSON, one object a line for each file
    #[arg(long, conflicts_with = "stat")]
    pub(crate) json: bool,
    /// Do not start a pager, which a terminal has otherwise: $SILCROW_PAGER, $PAGER or less
    #[arg(long)]
    pub(crate) no_pager: bool,
    /// Where conversations are kept [default: $XDG_DATA_HOME/silcrow]
    #[arg(long, value_name = "DIR|URL")]
    pub(crate) store: Option<PathBuf>,
    /// The folder that the tools saw, if it is another one by now [default: the recorded one]
    #[arg(long, value_name = "DIR")]
    pub(crate) root: Option<PathBuf>,
}
