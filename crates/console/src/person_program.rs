//! Programs that the person has chosen, such as a pager and an editor, and that the command starts
//! outside any sandbox.

use std::env;
use std::ffi::OsString;
use std::process::Command;

/// Returns a command whose program is found in absolute folders of `PATH` only. Another entry would
/// lead into the folder in which the person works, where a model may have written a program.
pub fn person_program(program: &str) -> Command {
    let mut command = Command::new(program);
    if let Some(path) = env::var_os("PATH") {
        let entries = env::split_paths(&path).filter(|entry| entry.is_absolute());
        // It fails only for an entry with a colon, and none has one.
        command.env("PATH", env::join_paths(entries).unwrap_or_else(|_| OsString::new()));
    }
    command
}
