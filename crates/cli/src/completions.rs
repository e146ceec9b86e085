//! `silcrow completions`, which prints a script by which a shell completes commands and flags.

use std::io::{self, Write as _};

use clap::{Command, CommandFactory as _};

use crate::args::{Args, CompletionsArgs};
use crate::failure::{Failure, written};

/// Prints the script for a shell.
pub(crate) fn completions(args: &CompletionsArgs) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut visible(&Args::command()), "silcrow", &mut script);
    written(io::stdout().lock().write_all(&script))
}

/// Returns a command without its hidden flags and commands, which the scripts would offer. Flags
/// that only a topic of `silcrow help` shows are not hidden here.
fn visible(command: &Command) -> Command {
    let args = command.get_arguments().filter(|arg| !arg.is_hide_set());
    let groups = command.get_groups();
    let subcommands = command.get_subcommands().filter(|sub| !sub.is_hide_set());
    let about = command.get_about().cloned().unwrap_or_default();
    Command::new(command.get_name().to_owned())
        .about(about)
        .disable_help_subcommand(command.is_disable_help_subcommand_set())
        .args(args.cloned())
        .groups(groups.cloned())
        .subcommands(subcommands.map(visible))
}
