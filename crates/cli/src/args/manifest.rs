//! The subcommands of `silcrow manifest`, as clap reads them.

use std::path::PathBuf;

/// What `silcrow manifest` does.
#[derive(Clone, Debug, clap::Subcommand)]
pub(crate) enum ManifestCommand {
    /// Show what a manifest declares, and whether it is trusted
    Show {
        /// The manifest
        file: PathBuf,
    },
    /// Trust a manifest as it is now; one that changes is asked about again
    Trust {
        /// The manifest
        file: PathBuf,
    },
    /// Trust a manifest no longer, whatever is in it
    Revoke {
        /// The manifest
        file: PathBuf,
    },
}
