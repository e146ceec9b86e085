//! The commands of a session, which begin with a slash.

use silcrow_console::edit::best_matches;

/// The slash commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SlashCommand {
    Agents,
    Allow,
    Attach,
    Compact,
    Context,
    Copy,
    Cost,
    Dialect,
    Diff,
    Effort,
    Exit,
    Export,
    Fork,
    Handover,
    Help,
    Hooks,
    Image,
    Log,
    Model,
    New,
    Permissions,
    Processes,
    Rename,
    Resume,
    Redo,
    Retry,
    Rewind,
    Skills,
    Stop,
    Thoughts,
    Tools,
    Undo,
}

/// A slash command with its help.
pub(super) struct SlashHelp {
    pub(super) command: SlashCommand,
    pub(super) name: &'static str,
    pub(super) args: &'static str,
    pub(super) about: &'static str,
}

impl SlashCommand {
    /// The commands in the order in which `/help` shows them.
    pub(super) const ALL: [SlashHelp; 32] = [
        help(Self::Help, "/help", "", "show these commands and the keys"),
        help(Self::Model, "/model", "[NAME]", "pick the model from a list, or name it"),
        help(Self::Effort, "/effort", "[LEVEL]", "show or choose how much the model thinks"),
        help(Self::Dialect, "/dialect", "[sigil|phase|action]", "show or choose the wire form"),
        help(Self::New, "/new", "", "begin another conversation"),
        help(Self::Resume, "/resume", "[ID]", "choose an earlier conversation and continue it"),
        help(Self::Attach, "/attach", "[ID]", "follow a run of another process, and answer it"),
        help(
            Self::Handover,
            "/handover",
            "[close|off]",
            "have the run go on in a server: now, or if the terminal closes",
        ),
        help(Self::Rewind, "/rewind", "[N] [files|conversation]", "go back to before prompt N"),
        help(Self::Redo, "/redo", "", "take the last undo of files back"),
        help(Self::Retry, "/retry", "", "ask the last prompt again, after an error or a stop"),
        help(Self::Skills, "/skills", "", "list your skills and commands, which /NAME starts"),
        help(Self::Hooks, "/hooks", "", "list the hooks, each with its last run"),
        help(Self::Stop, "/stop", "", "stop the answer, as Esc does"),
        help(Self::Fork, "/fork", "[N]", "continue in a copy: whole, or from before prompt N"),
        help(Self::Log, "/log", "[OPTIONS]", "show the events of this conversation"),
        help(Self::Diff, "/diff", "[OPTIONS]", "show what this conversation has changed in files"),
        help(Self::Undo, "/undo", "[OPTIONS]", "take back what the last run changed in files"),
        help(Self::Tools, "/tools", "", "list the tools and what they do"),
        help(Self::Permissions, "/permissions", "[MODE]", "show or choose what runs unasked"),
        help(
            Self::Processes,
            "/ps",
            "[ID|stop ID|stop all]",
            "list, show or stop background commands",
        ),
        help(
            Self::Agents,
            "/agents",
            "[N|stop N|stop all]",
            "list, show or stop the agents of calls",
        ),
        help(Self::Allow, "/allow", "TOOL", "let a tool run without a question in this session"),
        help(
            Self::Thoughts,
            "/thoughts",
            "[brief|full|off]",
            "show the last thought, or choose how",
        ),
        help(Self::Context, "/context", "", "show how much the model reads, and what is left out"),
        help(Self::Compact, "/compact", "[WORDS|undo]", "summarize the older part for the model"),
        help(Self::Image, "/image", "[FILE]", "send a picture from a file or the clipboard"),
        help(Self::Cost, "/cost", "", "show what this session has used"),
        help(Self::Copy, "/copy", "", "copy the last answer to the clipboard"),
        help(Self::Rename, "/rename", "TITLE", "give this conversation a title"),
        help(Self::Export, "/export", "[md|html|jsonl] [FILE]", "write this conversation down"),
        help(Self::Exit, "/exit", "", "leave, as Ctrl-D does"),
    ];

    /// Returns the command of a line that begins with a slash, and its words, or the names of
    /// commands that are like it.
    pub(super) fn parse(line: &str) -> Result<(Self, Vec<&str>), Vec<&'static str>> {
        let mut words = line.split_whitespace();
        let name = words.next().unwrap_or_default();
        let alias = ALIASES.iter().find(|(alias, _)| *alias == name);
        let name = alias.map_or(name, |(_, name)| name);
        let starts: Vec<_> = Self::ALL.iter().filter(|help| help.name.starts_with(name)).collect();
        let exact = Self::ALL.iter().find(|help| help.name == name);
        match (exact, &*starts) {
            (Some(help), _) => Ok((help.command, words.collect())),
            (None, [only]) if name.len() > 1 => Ok((only.command, words.collect())),
            (None, [_, ..]) => Err(starts.iter().map(|help| help.name).collect()),
            (None, []) => {
                let names = Self::ALL.iter().map(|help| help.name);
                let close: Vec<_> = silcrow_tool::closest_names(name, names).into_iter().collect();
                if !close.is_empty() {
                    return Err(close);
                }
                let names: Vec<_> = Self::ALL.iter().map(|help| help.name).collect();
                let similar = best_matches(name.trim_start_matches('/'), &names);
                Err(similar.into_iter().take(2).map(|index| names[index]).collect())
            }
        }
    }

    /// Returns why the first word of a line is not a command, with similar commands.
    pub(super) fn unknown(line: &str, close: &[&str]) -> String {
        let name = line.split_whitespace().next().unwrap_or(line);
        match close {
            [] => format!("unknown command {name}; /help shows the commands"),
            names => format!("unknown command {name}; did you mean {}?", names.join(" or ")),
        }
    }
}

/// Returns whether a text is a command: one line, whose first word has one slash, while a path has
/// more. A text of several lines, such as a pasted one, never is.
pub(super) fn is_command(line: &str) -> bool {
    line.strip_prefix('/')
        .filter(|rest| !rest.contains('\n'))
        .is_some_and(|rest| !rest.split_whitespace().next().unwrap_or_default().contains('/'))
}

/// Other names of commands, which people know from elsewhere.
const ALIASES: [(&str, &str); 5] = [
    ("/quit", "/exit"),
    ("/clear", "/new"),
    ("/mode", "/permissions"),
    ("/continue", "/resume"),
    ("/?", "/help"),
];

const fn help(
    command: SlashCommand,
    name: &'static str,
    args: &'static str,
    about: &'static str,
) -> SlashHelp {
    SlashHelp { command, name, args, about }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_and_multiline_texts_are_not_commands() {
        assert!(is_command("/exit") && is_command("/release now"));
        for text in ["/usr/bin/x fails", "/exit\nsecond", "exit", ""] {
            assert!(!is_command(text), "{text:?}");
        }
    }

    #[test]
    fn commands_match_prefixes_and_unknown_ones_get_suggestions() {
        assert_eq!(SlashCommand::parse("/model  gpt"), Ok((SlashCommand::Model, vec!["gpt"])));
        assert_eq!(SlashCommand::parse("/mo"), Ok((SlashCommand::Model, vec![])));
        assert_eq!(SlashCommand::parse("/quit"), Ok((SlashCommand::Exit, vec![])));
        assert_eq!(
            SlashCommand::parse("/re"),
            Err(vec!["/resume", "/rewind", "/redo", "/retry", "/rename"])
        );
        assert_eq!(SlashCommand::parse("/d"), Err(vec!["/dialect", "/diff"]));
        assert_eq!(SlashCommand::parse("/modle"), Err(vec!["/model"]));
        assert_eq!(SlashCommand::parse("/xyzzy"), Err(vec![]));
    }
}
