//! The command as the host of its sessions: notices are lines on stderr, damage of a store is said at
//! the end, and the person at the terminal is asked about manifests.

use std::io::{self, Write as _};
use std::sync::Arc;

use silcrow_manifest::DeclaredManifest;
use silcrow_sanitize::sanitize_line;
use silcrow_session::{Error, SessionHost};
use silcrow_settings::TrustStatus;
use silcrow_store_log::LogStore;

use crate::{damage, manifest};

/// Returns the host of all sessions of this process.
pub(crate) fn host() -> Arc<dyn SessionHost> {
    Arc::new(CommandHost)
}

/// Tells the person something beside the output of a command.
pub(crate) fn notice(line: &str) {
    // If stderr is closed, the notice is lost.
    let _ = writeln!(io::stderr(), "silcrow: {}", sanitize_line(line));
}

struct CommandHost;

impl SessionHost for CommandHost {
    fn notice(&self, line: &str) {
        notice(line);
    }

    fn opened(&self, store: &LogStore) {
        damage::watch(store);
    }

    fn trusts_manifest(
        &self,
        manifest: &DeclaredManifest,
        standing: TrustStatus,
    ) -> Result<Option<bool>, Error> {
        manifest::ask(manifest, standing)
    }
}
