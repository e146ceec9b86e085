//! A real client: its packages and its check.
//!
//! A folder with `package.json` and `check.mjs` is a client for node, one with `requirements.txt` and
//! `check.py` is a client for Python.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use xtask::{disk, installed, process};

/// A real client of a protocol.
pub(super) struct FaceClient {
    pub(super) name: String,
    /// The programs without which it cannot be checked.
    pub(super) programs: Vec<String>,
    folder: PathBuf,
    pub(super) is_node: bool,
}

impl FaceClient {
    /// Returns the client of a folder; `None` for a folder without a check.
    pub(super) fn read(folder: PathBuf) -> Option<Self> {
        let is_node = folder.join("check.mjs").exists();
        if !is_node && !folder.join("check.py").exists() {
            return None;
        }
        let installer = if is_node { "npm" } else { "python3" };
        let more = fs::read_to_string(folder.join(PROGRAMS)).unwrap_or_default();
        let programs = [installer].into_iter().chain(more.lines()).map(str::to_owned).collect();
        Some(Self { name: disk::name(&folder), programs, folder, is_node })
    }

    /// Copies its files, and installs its packages unless they are installed already; returns the
    /// folder, and the program that runs its check.
    pub(super) fn install(&self) -> Result<(PathBuf, PathBuf), String> {
        if self.is_node {
            return Ok((installed::install_node(&self.folder)?, installed::install_runtime()?));
        }
        let installed = installed::install_python(&self.folder)?;
        Ok((installed.clone(), installed.join("venv/bin/python")))
    }

    /// Runs its check, which finds the folder of the built programs in the environment, and returns
    /// its output.
    pub(super) fn check(&self, programs: &Path) -> Result<String, String> {
        let (installed, interpreter) = self.install()?;
        let mut check = Command::new(interpreter);
        check.arg(if self.is_node { "check.mjs" } else { "check.py" });
        check.env("SILCROW_PROGRAMS", programs);
        check.env("SILCROW_FRONT_STREAMS", programs.join("examples/streams"));
        process::output(check.current_dir(&installed))
    }
}

/// A file with the names of programs that a client needs, one in each line.
const PROGRAMS: &str = "programs";
