//! Programs that are run to their end, with errors that say which one failed.

use std::env;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::OnceLock;

/// Runs a program that reports errors itself; `advice` is the next step after one.
pub fn succeed(command: &mut Command, advice: &str) -> Result<(), String> {
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{advice} ({status})")),
        Err(why) => Err(not_started(command, &why)),
    }
}

/// Runs a program and returns its output; its standard error becomes a part of the error.
pub fn output(command: &mut Command) -> Result<String, String> {
    let output = command.output().map_err(|why| not_started(command, &why))?;
    let printed = String::from_utf8_lossy(&output.stdout);
    if output.status.success() {
        return Ok(printed.into_owned());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(format!("{command:?} failed ({}):\n{printed}{said}", output.status))
}

/// Returns the path of this program at its start.
///
/// Builds of the workspace replace the file while it runs, and from then on the system names it
/// `xtask (deleted)`. The new file has the same source.
pub fn own_program() -> Result<PathBuf, String> {
    static OWN: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    let path = || env::current_exe().map_err(|why| format!("this program has no path: {why}"));
    OWN.get_or_init(path).clone()
}

/// Returns whether a program can be started.
pub fn exists(program: &str) -> bool {
    succeeds(Command::new(program).arg("--version"))
}

/// Runs a program that nobody hears, and returns whether it succeeds.
pub fn succeeds(command: &mut Command) -> bool {
    let status = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
}

/// Says that something is left out because a program or a network is missing, which is an error if
/// everything has to be checked.
pub fn leave_out(what: &str, why: &str) -> Result<(), String> {
    if env::var_os("CI").is_some() {
        return Err(format!("{what}: {why}"));
    }
    println!("left out: {what}: {why}");
    Ok(())
}

fn not_started(command: &Command, why: &std::io::Error) -> String {
    format!("{} does not start: {why}", command.get_program().display())
}
