//! The package `silcrow` of Python: its files, and the module that is built from Rust.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use xtask::{disk, installed, process};

use super::empty_folder;

/// Returns the missing requirement for building and testing the package.
pub(super) fn missing() -> Option<String> {
    let mut python = Command::new("python3");
    python.args(["-c", "import sys; sys.exit(sys.version_info < (3, 10))"]);
    let status = python.stdout(Stdio::null()).stderr(Stdio::null()).status();
    let is_there = status.is_ok_and(|status| status.success());
    (!is_there).then(|| "python3 of version 3.10 or later".to_owned())
}

/// Builds and tests the package, and checks its types.
pub(super) fn check() -> Result<(), String> {
    xtask::build_all()?;
    let programs = xtask::target().join("debug");
    let folder = assemble(&programs)?;
    let tests = xtask::root().join("crates/python/tests");
    let mut python = Command::new("python3");
    python.args(["-W", "error::RuntimeWarning", "-m", "unittest", "discover", "--start-directory"]);
    python.arg(&tests).env("PYTHONPATH", &folder).env("PATH", with_programs(&programs)?);
    // No setting of the person counts.
    python.env("XDG_CONFIG_HOME", "/nonexistent").env_remove("SILCROW_MODEL");
    process::succeed(&mut python, "the package for Python fails")?;
    check_types(&folder, &tests)
}

/// Puts the package together, with the module from a folder of build artifacts, and returns its
/// folder.
fn assemble(built: &Path) -> Result<PathBuf, String> {
    let folder = empty_folder("python")?;
    let package = folder.join("silcrow");
    disk::make_folder(&package)?;
    for (name, path) in package_files()? {
        disk::copy(&path, &package.join(name))?;
    }
    disk::copy(&built.join(built_module()), &package.join(MODULE))?;
    Ok(folder)
}

/// Returns the files of the package that are Python, by their names.
pub(crate) fn package_files() -> Result<Vec<(String, PathBuf)>, String> {
    disk::files(&xtask::root().join("crates/python/silcrow"))
}

/// Returns the name that cargo gives the module.
pub(crate) const fn built_module() -> &'static str {
    if cfg!(windows) {
        "_silcrow.dll"
    } else if cfg!(target_os = "macos") {
        "lib_silcrow.dylib"
    } else {
        "lib_silcrow.so"
    }
}

/// The name under which Python finds the module.
pub(crate) const MODULE: &str = if cfg!(windows) { "_silcrow.pyd" } else { "_silcrow.abi3.so" };

/// Has mypy check the package and its example, in its strictest mode.
fn check_types(folder: &Path, tests: &Path) -> Result<(), String> {
    let tools = match installed::install_python(&tests.join("types")) {
        Ok(tools) => tools,
        Err(why) => return process::leave_out("the types of the package for Python", &why),
    };
    let mut mypy = Command::new(tools.join("venv/bin/mypy"));
    mypy.args(["--strict", "--python-version", "3.10", "--no-incremental", "-p", "silcrow"]);
    process::succeed(mypy.current_dir(folder), "the types of the package are wrong")?;
    let mut mypy = Command::new(tools.join("venv/bin/mypy"));
    mypy.args(["--strict", "--no-incremental"]).arg(tests.join("types/program.py"));
    process::succeed(mypy.current_dir(folder), "a typed program does not fit the package")
}

fn with_programs(programs: &Path) -> Result<std::ffi::OsString, String> {
    let path = env::var_os("PATH").unwrap_or_default();
    let all = [programs.to_owned()].into_iter().chain(env::split_paths(&path));
    env::join_paths(all).map_err(|why| why.to_string())
}
