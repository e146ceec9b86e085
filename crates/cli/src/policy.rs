//! `silcrow policy`, which checks policy files and judges commands.
//!
//! `silcrow_session` finds policy files, and `silcrow_policy` reads them.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use silcrow_console::plural::count;
use silcrow_policy::{CommandVerdict, PolicyFile, PolicyOwner, judge_command, needed_doors};
use silcrow_sanitize::sanitize_line;
use silcrow_session::policy;

use crate::args::PolicyCommand;
use crate::failure::{Failure, written};
use crate::input::Input;

/// Runs a subcommand of `silcrow policy`.
pub(crate) fn command(command: &PolicyCommand) -> Result<(), Failure> {
    match command {
        PolicyCommand::Check { file: Some(file), project, .. } => {
            let owner = if *project { PolicyOwner::Project } else { PolicyOwner::Person };
            report(&[(file.clone(), Some(policy::parse(file, &policy::text_of(file)?, owner)?))])
        }
        PolicyCommand::Check { file: None, root, .. } => {
            let project = root.join(policy::PROJECT_FILE);
            let theirs = policy::read_project(&project)?;
            let own = policy::own_file().unwrap_or_else(|| PathBuf::from("policy.toml"));
            report(&[(own, policy::read_own(None)?), (project, theirs)])
        }
        PolicyCommand::Judge { command } => {
            let texts = match &**command {
                "-" => Input::open(Path::new("-"))?.text()?.lines().map(str::to_owned).collect(),
                text => vec![text.to_owned()],
            };
            // A reason may quote a word of the command.
            let remotes = policy::remotes(Path::new("."));
            let verdicts = texts.iter().map(|text| {
                let (verdict, needed) = (judge_command(text), needed_doors(text, &remotes));
                match needed.is_empty() || matches!(verdict, CommandVerdict::Forbidden(_)) {
                    true => verdict.to_string(),
                    false => format!("{verdict}; it needs {needed}"),
                }
            });
            let verdicts = verdicts.map(|verdict| format!("{}\n", sanitize_line(&verdict)));
            let verdicts: String = verdicts.collect();
            written(io::stdout().write_all(verdicts.as_bytes()))
        }
    }
}

/// Prints the contents of checked files.
fn report(files: &[(PathBuf, Option<PolicyFile>)]) -> Result<(), Failure> {
    let mut out = String::new();
    for (path, file) in files {
        let path = sanitize_line(&path.display().to_string()).into_owned();
        let line = match file {
            None => format!("{path} does not exist\n"),
            Some(file) => {
                let mode = file.mode().map_or_else(String::new, |mode| format!(", mode {mode}"));
                format!("{path}: {}{mode}\n", count(file.rules() as u64, "rule"))
            }
        };
        out += &line;
    }
    written(io::stdout().write_all(out.as_bytes()))
}
