//! The arguments of `silcrow runs stop` and `silcrow runs budget`, as clap reads them.

use std::path::PathBuf;

use clap::{ArgGroup, ValueEnum};
use silcrow_event::Money;

use super::values::{money, tokens};

/// Which run is stopped.
#[derive(Debug, clap::Args)]
pub(crate) struct StopArgs {
    #[command(flatten)]
    pub(crate) run: OrderedRun,
}

/// The limit of a run to change, and its new value.
#[derive(Debug, clap::Args)]
#[command(group = ArgGroup::new("limit").required(true).multiple(true))]
#[command(after_help = "\
The limit counts for the run at work, from now on. What is spent already counts, too, so a limit below
that ends the run with its next request. A limit of money needs a price of the model (see silcrow help
limits).")]
pub(crate) struct BudgetOrderArgs {
    #[command(flatten)]
    pub(crate) run: OrderedRun,
    /// The most tokens
    #[arg(long, value_name = "N", value_parser = tokens, group = "limit")]
    pub(crate) tokens: Option<u64>,
    /// The most money, such as 0.50
    #[arg(long, value_name = "AMOUNT", value_parser = money, group = "limit")]
    pub(crate) cost: Option<Money>,
    /// Whose spending is limited
    #[arg(long, value_enum, default_value = "run")]
    pub(crate) of: LimitedAccount,
}

/// A run at work, wherever it is.
#[derive(Debug, clap::Args)]
pub(crate) struct OrderedRun {
    /// The conversation in which the run is at work
    pub(crate) conversation: String,
    /// The user to whom the conversation belongs [default: SILCROW_USER, or no user]
    #[arg(long, value_name = "NAME")]
    pub(crate) user: Option<String>,
    /// Where conversations are kept [default: $XDG_DATA_HOME/silcrow]
    #[arg(long, value_name = "DIR|URL")]
    pub(crate) store: Option<PathBuf>,
}

/// The account whose limit changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LimitedAccount {
    /// This run, with everything that its calls run
    Run,
    /// All runs of the conversation
    Conversation,
    /// All runs of the user
    User,
}
