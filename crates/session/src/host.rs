//! The program that runs a session: it receives notices, and answers questions.

use silcrow_manifest::DeclaredManifest;
use silcrow_settings::TrustStatus;
use silcrow_store_log::LogStore;

use crate::error::Error;

/// The program that a session runs in.
///
/// A session prints nothing and asks nobody. A function that takes a line is a host that shows
/// notices and trusts nothing:
///
/// ```
/// use silcrow_session::SessionHost;
///
/// let host = |line: &str| eprintln!("notice: {line}");
/// host.notice("the store could be read by other users");
/// ```
pub trait SessionHost: Send + Sync {
    /// Takes a line for the person, without hidden characters. It may come from any thread.
    fn notice(&self, line: &str);

    /// Hears of a store in files that was opened, before anything of it is read.
    fn opened(&self, _store: &LogStore) {}

    /// Returns whether the person trusts a manifest that is not in their record, or `None` if
    /// nobody can be asked. A yes is recorded. The default is `None`.
    ///
    /// # Errors
    ///
    /// Returns an error if the person could not be asked.
    fn trusts_manifest(
        &self,
        _manifest: &DeclaredManifest,
        _standing: TrustStatus,
    ) -> Result<Option<bool>, Error> {
        Ok(None)
    }
}

impl<F: Fn(&str) + Send + Sync> SessionHost for F {
    fn notice(&self, line: &str) {
        self(line);
    }
}
