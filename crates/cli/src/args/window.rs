//! The arguments about how much the model reads, as clap reads them.

use silcrow_context::{CompactionOptions, ModelLimits};

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

impl WindowArgs {
    /// Returns when a context is compacted, or `None` if it never is.
    pub(crate) fn compaction(&self) -> Option<CompactionOptions> {
        let options = CompactionOptions::default();
        match self.compact_at {
            Some(0) => None,
            Some(percent) => {
                Some(options.with_start(percent).with_keep(options.keep.min(percent / 3)))
            }
            None => Some(options),
        }
    }

    /// Returns the limits of the model with this name.
    pub(crate) fn limits(&self, model: &str) -> ModelLimits {
        let mut limits = ModelLimits::default();
        limits.context = self.window.or_else(|| silcrow_vendors::known_window(model));
        limits
    }
}
