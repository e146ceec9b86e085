//! The help of the command: its clap definition as it is shown, and `silcrow help`.
//!
//! This module decides which flags are shown together and which only a topic shows. The modules of
//! the arguments describe the flags.

use std::env;
use std::ffi::OsString;
use std::io::{self, Write as _};

use clap::error::ErrorKind;
use clap::{Command, CommandFactory as _, FromArgMatches as _};
use silcrow_tool::closest_names;

use crate::args::Args;
use crate::failure::{Failure, written};
use crate::moved;

mod groups;
mod page;
mod topics;

use topics::topics;

/// Returns the clap definition of the whole command.
pub(crate) fn command() -> Command {
    laid_out(groups::grouped)
}

/// Returns the clap definition with the flags of topics among the others, each topic with a heading.
pub(crate) fn whole_command() -> Command {
    laid_out(groups::grouped_with_topics)
}

fn laid_out(grouped: fn(Command) -> Command) -> Command {
    let mut command = Args::command();
    for (order, name) in ORDER.iter().enumerate() {
        command = command.mut_subcommand(name, |sub| grouped(sub).display_order(order));
    }
    for (group, _) in moved::GROUPS {
        command = command.mut_subcommand(group, |sub| sub.mut_subcommands(grouped));
    }
    command
}

/// Reads the arguments, of which the first is the name of the program. Help that clap shows is laid
/// out anew.
pub(crate) fn parse(typed: &[OsString]) -> Result<Args, clap::Error> {
    parse_plainly(typed).or_else(|error| match error.kind() {
        ErrorKind::DisplayVersion => Err(error),
        _ => read(command(), typed),
    })
}

/// Reads the arguments without laying out the help, which takes most of the time and does not
/// change the meaning of the arguments. An error is not one to show.
pub(crate) fn parse_plainly(typed: &[OsString]) -> Result<Args, clap::Error> {
    read(Args::command(), typed)
}

fn read(mut command: Command, typed: &[OsString]) -> Result<Args, clap::Error> {
    let found = command.try_get_matches_from_mut(typed)?;
    let args = Args::from_arg_matches(&found).map_err(|error| error.format(&mut command));
    // To give back its thousands of small parts takes a tenth of a start, and the process reads its
    // arguments once.
    std::mem::forget(command);
    args
}

/// Shows the help of a command or a topic, or without words the list of both.
pub(crate) fn help(words: &[String]) -> Result<(), Failure> {
    let command = command();
    let text = match words {
        [] => overview(&command),
        [name] if let Some(topic) = topics().find(|topic| topic.name == name) => {
            let mut text = page::page(&topic.blocks(), columns());
            let run = command.find_subcommand("run");
            if let Some(mut flags) = run.and_then(|run| groups::flags_of(name, run)) {
                text.push('\n');
                text.push_str(flags.render_help().to_string().trim_end());
                text.push('\n');
            }
            text
        }
        words => {
            let group = words.first().and_then(|name| moved::group_of(name));
            let words: Vec<_> = group.into_iter().chain(words.iter().map(|word| &**word)).collect();
            check(&command, &words)?;
            // The help equals the command's own help for --help.
            let typed = ["silcrow"].into_iter().chain(words);
            let shown = command.try_get_matches_from(typed.chain(["--help"]));
            shown.expect_err("help is never a match").to_string()
        }
    };
    written(io::stdout().lock().write_all(text.as_bytes()))
}

/// Checks that the words name a command.
fn check(command: &Command, words: &[&str]) -> Result<(), Failure> {
    let mut at = command;
    for (depth, word) in words.iter().enumerate() {
        if let Some(sub) = at.find_subcommand(word) {
            at = sub;
            continue;
        }
        let topics = topics().map(|topic| topic.name).filter(|_| depth == 0);
        let names = at.get_subcommands().map(Command::get_name).chain(topics);
        let near = match closest_names(word, names).first() {
            Some(name) => format!("; did you mean `{name}`?"),
            None => "; silcrow help lists them".to_owned(),
        };
        let kind = if depth == 0 { "command or topic" } else { "command" };
        return Err(Failure::given(format!("unknown {kind} `{word}`{near}")));
    }
    Ok(())
}

/// Returns the list of commands and topics.
fn overview(command: &Command) -> String {
    let columns = columns();
    let mut shown: Vec<_> = command.get_subcommands().filter(|sub| !sub.is_hide_set()).collect();
    shown.sort_by_key(|sub| ORDER.iter().position(|name| *name == sub.get_name()));
    let abouts: Vec<_> = shown
        .iter()
        .map(|sub| (sub.get_name(), sub.get_about().map(ToString::to_string).unwrap_or_default()))
        .collect();
    let commands: Vec<_> = abouts.iter().map(|(name, about)| (*name, &**about)).collect();
    let topics: Vec<_> = topics().map(|topic| (topic.name, topic.about)).collect();
    let mut out =
        "silcrow help NAME shows the help of a command or a topic.\n\nCommands:\n".to_owned();
    page::list(&mut out, &commands, columns);
    out.push_str("\nTopics:\n");
    page::list(&mut out, &topics, columns);
    out
}

/// Returns the width of help: the width of the terminal, or the variable COLUMNS, as clap reads
/// them.
fn columns() -> usize {
    let size = crate::system::output_size();
    let terminal = size.map(|(columns, _)| usize::from(columns)).filter(|columns| *columns > 0);
    let variable = || env::var("COLUMNS").ok()?.parse().ok();
    terminal.or_else(variable).unwrap_or(WIDEST).clamp(NARROWEST, WIDEST)
}

/// The commands, the most used ones first.
const ORDER: [&str; 23] = [
    "chat",
    "run",
    "serve",
    "runs",
    "acp",
    "log",
    "undo",
    "diff",
    "context",
    "compact",
    "models",
    "config",
    "profile",
    "doctor",
    "tools",
    "tool",
    "mcp",
    "policy",
    "manifest",
    "dev",
    "completions",
    "version",
    "help",
];

/// The width of help in a wide terminal: longer lines are hard to read.
const WIDEST: usize = 100;

/// The width in a terminal that is too narrow.
const NARROWEST: usize = 20;
