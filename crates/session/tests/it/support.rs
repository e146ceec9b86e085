//! A folder for the tools, options that no setting of the machine changes, and a host that keeps
//! its messages.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use silcrow_manifest::DeclaredManifest;
use silcrow_session::{Error, SessionHost, SessionOptions};
use silcrow_settings::TrustStatus;
use tempfile::TempDir;

/// A folder that is removed with this value.
pub(crate) struct Folder(TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        let folder = Self(tempfile::tempdir().unwrap());
        std::fs::create_dir(folder.root()).unwrap();
        folder.write("policy.toml", "");
        folder
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

    /// Options for a model that writes this script, with a store in memory.
    pub(crate) fn options(&self, script: &str) -> SessionOptions {
        let mut options = SessionOptions::new(self.root());
        let script = self.write("script", script);
        options.model = Some(format!("script:{}", script.display()));
        options.store = Some(Path::new("memory").into());
        options.user = Some("ada".to_owned());
        options.policy.file = Some(self.path("policy.toml"));
        options.instructions.reads_files = false;
        options
    }
}

/// The messages that a host has received.
#[derive(Default)]
pub(crate) struct KeptNotices {
    lines: Mutex<Vec<String>>,
    /// The answer to each question about a manifest.
    trusts: Option<bool>,
}

impl KeptNotices {
    pub(crate) fn trusting(trusts: Option<bool>) -> Self {
        Self { trusts, ..Self::default() }
    }

    pub(crate) fn lines(&self) -> Vec<String> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl SessionHost for KeptNotices {
    fn notice(&self, line: &str) {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner).push(line.to_owned());
    }

    fn trusts_manifest(&self, _: &DeclaredManifest, _: TrustStatus) -> Result<Option<bool>, Error> {
        Ok(self.trusts)
    }
}

/// A host that keeps notices, as sessions take it.
pub(crate) fn host() -> (Arc<KeptNotices>, Arc<dyn SessionHost>) {
    let kept = Arc::new(KeptNotices::default());
    (Arc::clone(&kept), kept)
}
