//! The seam of the command: only the entry of each command uses the arguments, and makes plain
//! values of them.
//!
//! This module decides which files are entries. It does not read files.

use std::collections::BTreeSet;

use super::Finding;
use super::source::SourceFile;

/// The files of the command that name its arguments, and the modules that its list of commands
/// calls.
#[derive(Default)]
pub(crate) struct ArgumentSeam {
    /// The places that name the arguments: the file and the line.
    uses: Vec<(String, usize)>,
    /// The modules whose items the list of commands names.
    commands: BTreeSet<String>,
}

impl ArgumentSeam {
    /// Adds a file of the workspace.
    pub(crate) fn push(&mut self, file: &str, source: &SourceFile) {
        let Some(name) = file.strip_prefix(FOLDER) else { return };
        if name == "commands.rs" {
            self.commands = calls(source);
            return;
        }
        let named = source.find(&["crate", "::", "args"]);
        if let Some(named) = named.filter(|_| !name.starts_with("args") && name != "main.rs") {
            self.uses.push((file.to_owned(), named.line));
        }
    }

    /// Reports each file that names the arguments and is not an entry.
    pub(crate) fn check(&self, findings: &mut Vec<Finding>) {
        for (file, line) in self.uses.iter().filter(|(file, _)| !self.is_entry(file)) {
            let what = "`crate::args`: only the entry of a command, which `commands.rs` calls, knows \
                        arguments; take a plain value";
            let what = what.to_owned();
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
        module.is_some_and(|module| self.commands.contains(module))
    }
}

/// Returns the first names of the paths in a file.
fn calls(source: &SourceFile) -> BTreeSet<String> {
    let tokens = &source.tokens;
    let begins = |at: usize| at == 0 || tokens[at - 1].text != "::";
    let paths = tokens.windows(2).enumerate();
    let paths = paths.filter(|(at, pair)| pair[1].text == "::" && begins(*at));
    paths.map(|(_, pair)| pair[0].text.clone()).collect()
}

const FOLDER: &str = "crates/cli/src/";
