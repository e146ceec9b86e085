//! The subcommands of `silcrow manifest`, as clap reads them.

use std::path::PathBuf;

/// The subcommands of `silcrow manifest`.
#[derive(Clone, Debug, clap::Subcommand)]
pub(crate) enum ManifestCommand {
    /// Show what a manifest declares, and whether it is trusted
    Show {
        /// The manifest
        file: PathBuf,
    },
    /// Trust a manifest as it is now; after a change silcrow asks again
    Trust {
        /// The manifest
        file: PathBuf,
    },
    /// Remove the trust in a manifest, for all of its contents
    Revoke {
        /// The manifest
        file: PathBuf,
    },
}
