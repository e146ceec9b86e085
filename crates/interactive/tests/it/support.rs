//! A folder for a chat, and options that no setting of the machine changes.

use std::path::PathBuf;
use std::sync::Arc;

use silcrow_interactive::AskOptions;
use silcrow_manifest::DeclaredManifest;
use silcrow_session::{Error, SessionHost, SessionOptions};
use silcrow_settings::TrustStatus;
use silcrow_store_log::LogStore;
use tempfile::TempDir;

/// A folder with a root for the tools and a folder for the store.
pub(crate) struct Sandbox(TempDir);

impl Sandbox {
    pub(crate) fn new() -> Self {
        let sandbox = Self(tempfile::tempdir().unwrap());
        std::fs::create_dir(sandbox.path("root")).unwrap();
        sandbox.write("policy.toml", "mode = \"ask\"\n");
        sandbox
    }

    /// The folder that the tools see.
    pub(crate) fn root(&self) -> PathBuf {
        self.path("root")
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        std::fs::write(&path, text).unwrap();
        path
    }

    /// Returns the text of a file of the root, if it is there.
    pub(crate) fn written(&self, name: &str) -> Option<String> {
        std::fs::read_to_string(self.root().join(name)).ok()
    }

    /// Returns options for a model that writes this script, with a store in a folder.
    pub(crate) fn options(&self, script: &str) -> AskOptions {
        let mut session = SessionOptions::new(self.root());
        let script = self.write("script", script);
        session.model = Some(format!("script:{}", script.display()));
        session.store = Some(self.path("data"));
        session.user = Some("ada".to_owned());
        session.policy.file = Some(self.path("policy.toml"));
        session.instructions.reads_files = false;
        AskOptions::new(session)
    }
}

/// A host whose notices nobody reads, and that trusts every manifest.
pub(crate) fn host() -> Arc<dyn SessionHost> {
    Arc::new(TrustingHost)
}

struct TrustingHost;

impl SessionHost for TrustingHost {
    fn notice(&self, _: &str) {}

    fn opened(&self, _: &LogStore) {}

    fn trusts_manifest(&self, _: &DeclaredManifest, _: TrustStatus) -> Result<Option<bool>, Error> {
        Ok(Some(true))
    }
}
