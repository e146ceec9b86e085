//! The seam of the command: only the entry of each command knows the arguments, and makes plain values of
//! them.
//!
//! This module knows which files are entries. It does not read files.

use super::Finding;
use super::source::SourceFile;

/// The files of the command that name its arguments, and what its list of commands calls.
#[derive(Default)]
pub(crate) struct ArgumentSeam {
    /// Where the arguments are named: the file and the line.
    uses: Vec<(String, usize)>,
    /// The code of the list of commands.
    commands: String,
}

impl ArgumentSeam {
    /// Adds a file of the workspace.
    pub(crate) fn push(&mut self, file: &str, source: &SourceFile) {
        let Some(name) = file.strip_prefix(FOLDER) else { return };
        let code = source.code();
        if name == "commands.rs" {
            self.commands = code;
            return;
        }
        let line = code.lines().position(|line| line.contains(ARGUMENTS));
        if let Some(line) = line.filter(|_| !name.starts_with("args") && name != "main.rs") {
            self.uses.push((file.to_owned(), line + 1));
        }
    }

    /// Reports each file that names the arguments and is no entry.
    pub(crate) fn check(&self, findings: &mut Vec<Finding>) {
        for (file, line) in self.uses.iter().filter(|(file, _)| !self.is_entry(file)) {
            let what = format!(
                "`{ARGUMENTS}`: only the entry of a command, which `commands.rs` calls, knows \
                 arguments; take a plain value"
            );
            findings.push(Finding { file: file.clone(), line: *line, what });
        }
    }

    /// Returns whether a file is the entry of a command: the module that the list of commands calls, or
    /// the file `command.rs` in the folder of that module, or `absent.rs`, its body in a build without it.
    fn is_entry(&self, file: &str) -> bool {
        let name = file.strip_prefix(FOLDER).and_then(|name| name.strip_suffix(".rs"));
        let ends = ["/command", "/absent"];
        let module =
            name.map(|name| ends.iter().find_map(|end| name.strip_suffix(end)).unwrap_or(name));
        module.is_some_and(|module| {
            let call = format!("{module}::");
            let starts = self.commands.match_indices(&call).map(|(at, _)| at);
            let before = |at: usize| self.commands[..at].chars().next_back();
            let is_name = |char: char| char.is_alphanumeric() || matches!(char, '_' | ':');
            starts.into_iter().any(|at| !before(at).is_some_and(is_name))
        })
    }
}

const FOLDER: &str = "crates/cli/src/";

const ARGUMENTS: &str = "crate::args";
