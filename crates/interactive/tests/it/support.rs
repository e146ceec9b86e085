//! A folder for a chat, and options that no setting of the machine changes.

use std::path::PathBuf;
use std::sync::Arc;

use silcrow_interactive::AskOptions;
use silcrow_manifest::DeclaredManifest;
use silcrow_policy::PermissionMode;
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
        session.sandbox_helper = Some(helper());
        AskOptions::new(session)
    }

    /// Returns options in which everything runs unasked, except commands that leave the sandbox.
    pub(crate) fn full(&self, script: &str) -> AskOptions {
        let mut options = self.options(script);
        options.session.policy.permissions = Some(PermissionMode::Full);
        options
    }

    /// Returns the shown text with words in place of times, ids and folders, which differ each
    /// time.
    pub(crate) fn steady(&self, shown: &str) -> String {
        let mut text = shown.to_owned();
        for (path, word) in [(self.path("root"), "ROOT"), (self.path(""), "FOLDER/")] {
            text = text.replace(path.to_str().unwrap(), word);
        }
        // Whether new local sockets can be confined depends on the kernel of the machine.
        text = text.replace(", except new local sockets", "");
        // The time in the line of status decides how much of the line has room.
        for cut in ["Esc st\u{2026}", "Esc sto\u{2026}"] {
            text = text.replace(cut, "Esc stops");
        }
        // If a row ends before the unit of a time, the unit in the next row shows where the time
        // is.
        while let Some(unit) = text.find("\n  s\n") {
            let Some(time) = text[..unit].rfind(" \u{b7} ") else { break };
            text.replace_range(time..unit + "\n  s".len(), "");
        }
        let words = text.split_inclusive([' ', '\n', '(', ')', ',']).collect::<Vec<_>>();
        let mut out = String::new();
        for (index, word) in words.iter().enumerate() {
            let bare = word.trim_end_matches([' ', '\n', '(', ')', ',', ':']);
            let unit = words
                .get(index + 1)
                .map_or("", |next| next.trim_end_matches([' ', '\n', ')', ',', ':']));
            let is_number = bare.parse::<f64>().is_ok();
            match () {
                () if is_number && matches!(unit, "ms" | "s" | "min") => {
                    out.push_str(&word.replace(bare, "N"));
                }
                () if bare.starts_with('~') => out.push_str(&word.replace(bare, "~N")),
                () if bare == "ms" => out.push_str(&word.replace("ms", "s")),
                () => out.push_str(word),
            }
        }
        // Only a call that took long shows its time.
        let lines = out.lines().map(|line| {
            let times = [" \u{b7} N s", ", N s"].iter().find_map(|time| line.strip_suffix(time));
            times.unwrap_or(line)
        });
        lines.collect::<Vec<_>>().join("\n")
    }
}

/// Returns the program that confines commands, which is an example of this crate: the harness of a test has
/// a `main` without the helper.
fn helper() -> PathBuf {
    let own = std::env::current_exe().unwrap();
    own.ancestors().nth(2).unwrap().join("examples/own_chat")
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
