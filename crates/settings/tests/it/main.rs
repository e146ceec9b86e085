//! Tests of settings through the public interface, in separate folders and environments.

mod edits;
mod files;
mod laws;
mod layers;
mod project;
mod servers;

use std::fs;
use std::path::{Path, PathBuf};

use silcrow_settings::{Environment, Error, FileSettings, SettingKey};

/// A person with a home, and a project in it.
struct Home {
    folder: tempfile::TempDir,
}

impl Home {
    fn new() -> Self {
        let home = Self { folder: tempfile::tempdir().unwrap() };
        fs::create_dir_all(home.root()).unwrap();
        home
    }

    fn path(&self, below: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(below)
    }

    fn root(&self) -> PathBuf {
        self.path("root")
    }

    /// Writes a file, and returns its path.
    fn write(&self, below: &str, text: &str) -> PathBuf {
        let path = self.path(below);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    /// Writes the person's own file.
    fn own(&self, text: &str) -> PathBuf {
        self.write("config/silcrow/config.toml", text)
    }

    /// Writes the file of the project.
    fn project(&self, text: &str) -> PathBuf {
        self.write("root/.silcrow/config.toml", text)
    }

    fn environment(&self, more: &[(&str, &str)]) -> Environment {
        let folders = [("XDG_CONFIG_HOME", "config"), ("XDG_DATA_HOME", "data"), ("HOME", "")];
        let folders = folders.map(|(name, below)| (name, self.path(below).into_os_string()));
        let more = more.iter().map(|&(name, value)| (name, value.into()));
        Environment::from_vars(folders.into_iter().chain(more))
    }

    fn load(&self) -> Result<FileSettings, Error> {
        FileSettings::load(&self.environment(&[]), &self.root(), None)
    }
}

/// Returns the value of a key, as it is shown, and its source.
fn shown(files: &FileSettings, key: SettingKey) -> Option<(String, String)> {
    let found = files.get(key)?;
    Some((found.value.to_string(), found.source.to_string()))
}

fn text(path: &Path) -> String {
    fs::read_to_string(path).unwrap()
}
