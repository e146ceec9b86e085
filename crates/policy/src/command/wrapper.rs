//! Commands that run other commands, such as `env`, `xargs` and `sh -c`.
//!
//! This module finds the commands that they run, so that a rule or a refusal also applies to a
//! wrapped command. It never makes a command harmless.

use super::script::{ShellScript, ShellWord, SimpleCommand};

/// All commands that a text runs, if its words show them: including commands that other commands
/// run.
#[derive(Debug)]
pub(crate) struct ReachedCommands {
    pub(crate) commands: Vec<SimpleCommand>,
    /// Whether everything was followed, and not only the first commands of very many.
    pub(crate) is_complete: bool,
}

impl ReachedCommands {
    pub(crate) fn find(script: &ShellScript) -> Self {
        let mut reached = Self { commands: Vec::new(), is_complete: true };
        let mut open = vec![(0, script.commands.clone())];
        if script.commands.iter().any(reads_script) {
            // The input of a shell is a text of the script, or the output of one of its commands.
            let printed = script.commands.iter().filter(|command| PRINTS.contains(&command.name()));
            let printed = printed.map(|command| joined(command.args()));
            for input in script.inputs.iter().cloned().chain(printed) {
                open.push((1, ShellScript::parse(&input).commands));
            }
        }
        while let Some((depth, commands)) = open.pop() {
            for command in commands {
                if depth > MAX_DEPTH || reached.commands.len() >= MAX_COMMANDS {
                    reached.is_complete = false;
                    return reached;
                }
                open.extend(inner(&command).into_iter().map(|inner| (depth + 1, inner)));
                reached.commands.push(command);
            }
        }
        reached
    }
}

/// Returns the lists of commands that a command runs.
fn inner(command: &SimpleCommand) -> Vec<Vec<SimpleCommand>> {
    let name = command.name();
    if SHELLS.contains(&name) {
        return shell_script(command)
            .map(|text| ShellScript::parse(text).commands)
            .into_iter()
            .collect();
    }
    match name {
        "eval" | "trap" => return vec![ShellScript::parse(&joined(command.args())).commands],
        "find" => return found(command),
        "env" => {
            let mut args = command.args();
            let split = args.find_map(|arg| {
                arg.strip_prefix("-S").or_else(|| arg.strip_prefix("--split-string="))
            });
            if let Some(attached) = split {
                let text = joined([attached].into_iter().chain(args));
                return vec![ShellScript::parse(&text).commands];
            }
        }
        "su" | "runuser" | "script" | "watch" | "flock" | "parallel" => {
            // These take the text of a command as one word.
            let texts = command.args().filter(|arg| arg.contains(' '));
            let mut inner: Vec<_> = texts.map(|text| ShellScript::parse(text).commands).collect();
            inner.extend(rest_of(command, ""));
            return inner;
        }
        _ => {}
    }
    let wrapper = WRAPPERS.iter().find(|(wrapper, _)| *wrapper == name);
    wrapper.map(|(_, with_value)| rest_of(command, with_value)).unwrap_or_default()
}

/// Returns the command after the options and assignments of a wrapper. `with_value` are the letters
/// of options that take the next word. If a word may be a value or the command, both are commands.
fn rest_of(command: &SimpleCommand, with_value: &str) -> Vec<Vec<SimpleCommand>> {
    let mut found = Vec::new();
    let mut doubts = usize::from(WITH_OPERAND.contains(&command.name()));
    let mut words = command.words.iter().enumerate().skip(1);
    while let Some((at, word)) = words.next() {
        let text = &*word.text;
        if let Some(option) = text.strip_prefix('-') {
            let letter = option.chars().next();
            if option.len() == 1 && letter.is_some_and(|letter| with_value.contains(letter)) {
                words.next();
            } else if option.len() > 1 && option.starts_with('-') && !option.contains('=') {
                doubts += 1;
            }
        } else if !word.is_assignment() && !text.starts_with(|first: char| first.is_ascii_digit()) {
            found.push(vec![from(command, at)]);
            if doubts == 0 {
                break;
            }
            doubts -= 1;
        }
    }
    found
}

/// Returns the commands of `-exec` and its like.
fn found(command: &SimpleCommand) -> Vec<Vec<SimpleCommand>> {
    let runs = |word: &ShellWord| ["-exec", "-execdir", "-ok", "-okdir"].contains(&&*word.text);
    let places = command.words.iter().enumerate().filter(|(_, word)| runs(word));
    places.map(|(at, _)| vec![from(command, at + 1)]).collect()
}

/// Returns the text after `-c` of a shell.
fn shell_script(command: &SimpleCommand) -> Option<&str> {
    let mut args = command.args();
    args.find(|arg| {
        let letters = arg.strip_prefix('-').unwrap_or_default();
        !letters.starts_with('-') && letters.contains('c')
    })?;
    args.find(|arg| !arg.starts_with('-'))
}

/// Returns whether a command is a shell that reads its script from the input.
fn reads_script(command: &SimpleCommand) -> bool {
    let is_shell =
        |word: &ShellWord| SHELLS.contains(&word.text.rsplit('/').next().unwrap_or_default());
    command.words.iter().any(is_shell)
}

fn from(command: &SimpleCommand, at: usize) -> SimpleCommand {
    let words = command.words[at.min(command.words.len())..].to_vec();
    SimpleCommand { words, redirects: command.redirects.clone() }
}

fn joined<'a>(words: impl Iterator<Item = &'a str>) -> String {
    words.collect::<Vec<_>>().join(" ")
}

const SHELLS: [&str; 9] = ["sh", "bash", "dash", "zsh", "ksh", "mksh", "ash", "fish", "rbash"];

/// The commands that print their arguments.
const PRINTS: [&str; 2] = ["echo", "printf"];

/// Commands that run the command in their arguments, and the letters of their options that take
/// the next word.
const WRAPPERS: [(&str, &str); 26] = [
    ("builtin", ""),
    ("busybox", ""),
    ("chroot", ""),
    ("chrt", ""),
    ("command", ""),
    ("doas", "uC"),
    ("env", "uC"),
    ("exec", "a"),
    ("firejail", ""),
    ("ionice", "cnp"),
    ("ltrace", "eop"),
    ("nice", "n"),
    ("nohup", ""),
    ("nsenter", "t"),
    ("proot", ""),
    ("setsid", ""),
    ("stdbuf", "ioe"),
    ("strace", "eopPsE"),
    ("sudo", "ughpCDRrtTU"),
    ("taskset", "cp"),
    ("time", "fo"),
    ("timeout", "sk"),
    ("toybox", ""),
    ("unbuffer", ""),
    ("unshare", ""),
    ("xargs", "IadEnLPsi"),
];

/// Wrappers that take their own word before the command, such as a folder or a file.
const WITH_OPERAND: [&str; 6] = ["chroot", "flock", "nsenter", "runuser", "su", "taskset"];

/// The depth to which wrappers are followed.
const MAX_DEPTH: usize = 8;
/// The number of commands that are examined.
const MAX_COMMANDS: usize = 4_096;
