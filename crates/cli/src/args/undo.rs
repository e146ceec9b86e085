//! The arguments of `silcrow undo` and `silcrow diff`, and those that say how long changes can be taken
//! back.

use std::num::NonZeroU32;
use std::path::PathBuf;
use std::time::Duration;

use silcrow_tools::ChangeLimits;

use super::values::count;

/// The arguments of `silcrow undo`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Before a tool or a command changes a file, silcrow keeps what it was beside the conversations: up to
16 MiB of a file, 256 MiB in all, for 30 days (see --changes-size and --changes-days of silcrow run).
Of commands it covers the files of the root that git does not ignore; what is not kept is named, and
the rest is taken back. All files
are checked first. If one has changed since, it is named with the difference on the error stream, no
file is restored, and the exit code is 1. Folders that a tool made stay. The same command finishes an
undo that was interrupted.")]
pub(crate) struct UndoArgs {
    /// The conversation, with the agents that its calls ran
    pub(crate) conversation: String,
    /// Take back the changes of this turn, as `silcrow log show --json` numbers them [default: those
    /// of the last run, from your last prompt on]
    #[arg(long, value_name = "N", value_parser = count)]
    pub(crate) turn: Option<NonZeroU32>,
    /// Take back the changes of this turn and of all after it
    #[arg(long, value_name = "N", value_parser = count, conflicts_with = "turn")]
    pub(crate) from: Option<NonZeroU32>,
    /// Take back the last undo of the conversation instead
    #[arg(long, conflicts_with_all = ["turn", "from"])]
    pub(crate) redo: bool,
    /// Change nothing, and print what would be taken back
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Print JSON, one object a line for each file
    #[arg(long)]
    pub(crate) json: bool,
    /// Where conversations are kept [default: $XDG_DATA_HOME/silcrow]
    #[arg(long, value_name = "DIR|URL")]
    pub(crate) store: Option<PathBuf>,
    /// The folder that the tools saw, if it is another one by now [default: the recorded one]
    #[arg(long, value_name = "DIR")]
    pub(crate) root: Option<PathBuf>,
}

/// The arguments of `silcrow diff`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
It shows the changes of calls that were not undone, edits and commands alike, from what silcrow keeps
beside the conversations; it does not ask git. In a pipe it is a patch that git apply takes. Files
that are not text, or may hold secrets, are only named. Files that git ignores, files above the
limits and git's own data are left out.")]
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

/// How much of the files that tools change is kept, and for how long.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "What is kept of changed files, for silcrow undo")]
pub(crate) struct ChangesArgs {
    /// The most that is kept, in MiB; the oldest makes room
    #[arg(long, value_name = "MIB", default_value = "256", value_parser = count)]
    pub(crate) changes_size: NonZeroU32,
    /// How long it is kept, in days
    #[arg(long, value_name = "DAYS", default_value = "30", value_parser = count)]
    pub(crate) changes_days: NonZeroU32,
}

impl ChangesArgs {
    pub(crate) fn limits(&self) -> ChangeLimits {
        let mut limits = ChangeLimits::default();
        limits.total_bytes = u64::from(self.changes_size.get()) << 20;
        limits.age = Duration::from_secs(u64::from(self.changes_days.get()) * 24 * 60 * 60);
        limits
    }
}
