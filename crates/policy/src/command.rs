//! Decisions about the text of a command: harmless, asked about, or forbidden.
//!
//! A text is first cut into its commands, without running anything. It is harmless only if it
//! consists of plain commands that are all on the list of harmless commands. Modes and rules are
//! applied elsewhere.

mod entry;
mod forbidden;
mod harmless;
mod harmless_variable;
mod options;
mod prefix;
mod program_grants;
mod program_options;
mod redirect;
mod redirection;
mod scan_state;
mod scanner;
mod script;
mod secrets;
#[cfg(test)]
mod tests;
mod word_doors;
mod wrapper;

use std::fmt;

use silcrow_event::Grants;

use crate::git_remotes::GitRemotes;

pub(crate) use prefix::prefix;
pub(crate) use program_options::{OptionWidth, ProgramOptions};
pub(crate) use script::{ShellScript, ShellWord, SimpleCommand};
pub(crate) use word_doors::WordDoors;
use wrapper::ReachedCommands;

/// Decides about the text of a command, as a shell would read it.
///
/// ```
/// use silcrow_policy::{CommandVerdict, judge_command};
///
/// assert_eq!(judge_command("git diff --stat | head -20"), CommandVerdict::Harmless);
/// assert!(matches!(judge_command("git diff --output=x"), CommandVerdict::Ask(_)));
/// assert!(matches!(judge_command("sudo rm -rf /"), CommandVerdict::Forbidden(_)));
/// ```
pub fn judge_command(text: &str) -> CommandVerdict {
    JudgedCommand::new(text).verdict
}

/// Returns the doors that a command needs by its words: git data that it writes, and the hosts that
/// it connects to. Doors that the words do not show are not among them.
///
/// ```
/// use silcrow_policy::{GitRemotes, needed_doors};
///
/// let remotes = GitRemotes::parse("[remote \"origin\"]\n\turl = https://example.org/a.git\n");
/// let needed = |text| needed_doors(text, &remotes).to_string();
/// assert_eq!(needed("git add b && git commit -m x"), "git");
/// assert_eq!(needed("git push"), "git, network:example.org");
/// assert_eq!(needed("make release"), "");
/// ```
pub fn needed_doors(text: &str, remotes: &GitRemotes) -> Grants {
    let command = JudgedCommand::new(text);
    let all = command.commands.iter().chain(&command.reached.commands);
    WordDoors::for_commands(all, remotes).needed
}

/// A decision about the text of a command, before it runs.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "callers decide on each of the three")]
pub enum CommandVerdict {
    /// The command changes nothing, connects to nothing, runs nothing else, and names no secret.
    Harmless,
    /// A person decides. The reason is a clause that begins with `it`, a name or `a`.
    Ask(String),
    /// The command would destroy or stop the system. It never runs, even if something allows it.
    Forbidden(String),
}

impl CommandVerdict {
    /// Returns the verdict as one word: `harmless`, `ask` or `forbidden`.
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Harmless => "harmless",
            Self::Ask(_) => "ask",
            Self::Forbidden(_) => "forbidden",
        }
    }

    /// Returns the reason, which a harmless command has not.
    pub fn reason(&self) -> Option<&str> {
        match self {
            Self::Harmless => None,
            Self::Ask(why) | Self::Forbidden(why) => Some(why),
        }
    }
}

impl fmt::Display for CommandVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.reason() {
            Some(why) => write!(f, "{}: {why}", self.as_str()),
            None => f.write_str(self.as_str()),
        }
    }
}

/// A command with its facts for the modes and rules.
#[derive(Debug)]
pub(crate) struct JudgedCommand {
    pub(crate) verdict: CommandVerdict,
    /// Whether the command is harmless, except that it may show a secret.
    pub(crate) is_readable: bool,
    /// Whether the text consists of plain commands whose words are all known.
    pub(crate) is_plain: bool,
    /// The part of a word that names a secret, or `None` for a command without one.
    pub(crate) secret: Option<String>,
    /// The commands of the text itself. If it is plain, it runs no others directly.
    pub(crate) commands: Vec<SimpleCommand>,
    /// All commands that the text reaches, including commands that other commands run.
    pub(crate) reached: ReachedCommands,
}

impl JudgedCommand {
    pub(crate) fn new(text: &str) -> Self {
        Self::within(text, false)
    }

    /// Judges a text that runs in the root, or in another folder if `is_moved`.
    pub(crate) fn within(text: &str, is_moved: bool) -> Self {
        let script = ShellScript::parse(text);
        let reached = ReachedCommands::find(&script);
        let secret = secret_of(&script, &reached);
        let unlisted = check(&script, is_moved).err();
        let is_readable = unlisted.is_none();
        let verdict = if let Some(why) = forbidden::reason(text, &script, &reached.commands) {
            CommandVerdict::Forbidden(why)
        } else if let Some(why) = unlisted {
            CommandVerdict::Ask(why)
        } else if let Some(secret) = &secret {
            let secret = entry::shortened(secret);
            CommandVerdict::Ask(format!("`{secret}` usually holds a secret"))
        } else {
            CommandVerdict::Harmless
        };
        let is_plain = script.opaque.is_none() && reached.is_complete;
        Self { verdict, is_readable, is_plain, secret, commands: script.commands, reached }
    }
}

/// Returns whether a command is harmless without the others.
pub(crate) fn is_harmless(command: &SimpleCommand) -> bool {
    harmless::find(command).is_ok()
}

/// Returns why a text is not harmless, whether or not it names a secret. `has_moved` says that it runs
/// in another folder than the root.
fn check(script: &ShellScript, mut has_moved: bool) -> Result<(), String> {
    if let Some(why) = script.opaque {
        return Err(why.to_owned());
    }
    if script.commands.is_empty() {
        return Err("it has no command".to_owned());
    }
    for command in &script.commands {
        let entry = harmless::find(command)?;
        if entry.settings && has_moved {
            return Err(format!(
                "`{}` may run what the settings of another folder say",
                command.name()
            ));
        }
        has_moved |= command.name() == "cd";
    }
    Ok(())
}

/// Returns the part of a word that names a secret, among the words of commands that show contents.
fn secret_of(script: &ShellScript, reached: &ReachedCommands) -> Option<String> {
    // Its output may become the argument of another command.
    let all = reached.commands.iter().any(|command| command.name() == "xargs");
    let shows = |command: &&SimpleCommand| {
        all || harmless::find(command).map_or(true, |entry| entry.reads || entry.settings)
    };
    let words = reached.commands.iter().filter(shows).flat_map(|command| &command.words);
    let redirects = script.commands.iter().flat_map(|command| &command.redirects);
    let redirects = redirects.filter(|word| word.text != "/dev/null");
    words.chain(redirects).find_map(secrets::secret_in).map(str::to_owned)
}
