//! The arguments about how much the model reads, as clap reads them.

use super::values::{percent, window};

/// How much the model reads at once.
#[derive(Debug, Default, clap::Args)]
#[command(next_help_heading = "What the model reads")]
pub(crate) struct WindowArgs {
    /// The most tokens of a request and its answer [default: of a table, or learned]
    #[arg(long, value_name = "TOKENS", value_parser = window)]
    pub(crate) window: Option<u64>,
    /// Summarize old turns at this part of the window; 0 for never [default: 70]
    #[arg(long, value_name = "PERCENT", value_parser = percent)]
    pub(crate) compact_at: Option<u8>,
}
