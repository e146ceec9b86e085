//! What Tab completes: slash commands and their arguments, and the names of files after `@`.

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustyline::completion::{Completer, Pair};
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::validate::{ValidationContext, ValidationResult, Validator};
use rustyline::{Context, Helper};
use silcrow_history::{ConversationOwner, Conversations};
use silcrow_policy::PermissionMode;
use silcrow_session::prompt::{unescaped, written};
use silcrow_store::Store;
use silcrow_term::fit::shortened;
use silcrow_term::{Line, Style, TextRole, Theme};
use tokio::runtime::Handle;

use super::candidate::pair;
use super::known_servers::KnownServers;
use super::mode::LineMode;
use super::slash::SlashCommand;
use super::stored_prompts::stored_prompts;

/// Helps with the line that is typed.
pub(super) struct LineHelper {
    /// The folder whose files are completed.
    pub(super) root: PathBuf,
    pub(super) conversations: KnownConversations,
    pub(super) servers: KnownServers,
    pub(super) theme: Theme,
    pub(super) mode: LineMode,
    /// Whether a yes is typed instead of a prompt.
    pub(super) is_confirming: bool,
}

/// The conversations that `/resume` and `/fork` complete. They are read when Tab is pressed.
pub(super) struct KnownConversations {
    pub(super) store: Arc<dyn Store>,
    pub(super) user: Option<String>,
    /// The conversation that the session is in.
    pub(super) current: String,
    /// The runtime of the store. The editor reads lines on a thread of its own.
    pub(super) runtime: Handle,
}

impl KnownConversations {
    /// Returns the conversations whose ids begin like this, the one that was changed last first.
    fn beginning_with(&self, typed: &str) -> Vec<Pair> {
        let owner = ConversationOwner::Just(self.user.as_deref());
        let listed = self.runtime.block_on(Conversations::list(&*self.store, owner));
        // Nothing is completed where the store cannot be read.
        let Ok(conversations) = listed else { return Vec::new() };
        let own = conversations.recent().iter();
        let own = own.filter(|one| one.conversation.starts_with(typed)).take(MOST_NAMES);
        own.map(|one| {
            let shown = format!("{}  {}", one.conversation, shortened(&one.title, 40));
            pair(&shown, one.conversation.clone())
        })
        .collect()
    }

    /// Returns the places at which the conversation can be forked.
    fn fork_points(&self, typed: &str) -> Vec<Pair> {
        let prompts = self.runtime.block_on(stored_prompts(&*self.store, &self.current));
        let prompts = prompts.unwrap_or_default();
        if prompts.is_empty() {
            return Vec::new();
        }
        let numbered = prompts.iter().enumerate().map(|(index, (_, prompt))| {
            let number = (index + 1).to_string();
            (format!("{number}  {}", shortened(prompt.trim(), 40)), number)
        });
        let whole = ("end  all of it".to_owned(), "end".to_owned());
        let points = numbered.chain([whole]).filter(|(_, number)| number.starts_with(typed));
        points.take(MOST_NAMES).map(|(shown, number)| pair(&shown, number)).collect()
    }
}

impl Helper for LineHelper {}

impl Completer for LineHelper {
    type Candidate = Pair;

    fn complete(
        &self,
        line: &str,
        at: usize,
        _: &Context<'_>,
    ) -> rustyline::Result<(usize, Vec<Pair>)> {
        let line = &line[..at];
        // A blank after a backslash belongs to a name.
        let is_end =
            |(at, char): &(usize, char)| char.is_whitespace() && !line[..*at].ends_with('\\');
        let space = line.char_indices().rev().find(is_end);
        let start = space.map_or(0, |(at, space)| at + space.len_utf8());
        let word = &line[start..];
        if start == 0 && word.starts_with('/') {
            let names = SlashCommand::ALL.iter().map(|help| help.name);
            let names = names.filter(|name| name.starts_with(word));
            let own = names.map(|name| pair(name, format!("{name} ")));
            return Ok((0, own.chain(self.servers.prompts(word)).collect()));
        }
        if line.starts_with("/resume ") {
            return Ok((start, self.conversations.beginning_with(word)));
        }
        if line.starts_with("/permissions ") {
            let modes = PermissionMode::ALL.map(PermissionMode::as_str);
            let modes = modes.into_iter().filter(|mode| mode.starts_with(word));
            return Ok((start, modes.map(|mode| pair(mode, mode.to_owned())).collect()));
        }
        if line.starts_with("/fork ") {
            return Ok((start, self.conversations.fork_points(word)));
        }
        match word.strip_prefix('@') {
            Some(path) => {
                let mut found = files(&self.root, path);
                found.extend(self.servers.resources(path));
                Ok((start + 1, found))
            }
            None => Ok((at, Vec::new())),
        }
    }
}

impl Hinter for LineHelper {
    type Hint = String;

    fn hint(&self, line: &str, at: usize, _: &Context<'_>) -> Option<String> {
        if at < line.len() || self.is_confirming {
            return None;
        }
        if !line.starts_with('/') {
            return self.mode.hint(line.is_empty());
        }
        if line.len() < 2 {
            return None;
        }
        let mut found = SlashCommand::ALL.iter().filter(|help| help.name.starts_with(line));
        match (found.next(), found.next()) {
            (Some(help), None) => {
                let rest = &help.name[line.len()..];
                let args =
                    if help.args.is_empty() { String::new() } else { format!(" {}", help.args) };
                Some(format!("{rest}{args}  {}", help.about))
            }
            _ => None,
        }
    }
}

impl Highlighter for LineHelper {
    fn highlight_prompt<'b, 's: 'b, 'p: 'b>(&'s self, prompt: &'p str, _: bool) -> Cow<'b, str> {
        Line::styled(prompt, Style::of(TextRole::Accent)).to_ansi(&self.theme).into()
    }

    fn highlight_hint<'h>(&self, hint: &'h str) -> Cow<'h, str> {
        Line::styled(hint, Style::PLAIN.dim()).to_ansi(&self.theme).into()
    }
}

impl Validator for LineHelper {
    fn validate(&self, context: &mut ValidationContext<'_>) -> rustyline::Result<ValidationResult> {
        Ok(match context.input().ends_with('\\') {
            true => ValidationResult::Incomplete,
            false => ValidationResult::Valid(None),
        })
    }
}

/// Returns the files and folders whose paths begin like this, with a `\` before each blank. Hidden ones
/// have to be asked for.
fn files(root: &Path, typed: &str) -> Vec<Pair> {
    let typed = &*unescaped(typed);
    let (folder, start) =
        typed.rsplit_once('/').map_or(("", typed), |(folder, start)| (folder, start));
    let within = match folder {
        "" if typed.starts_with('/') => PathBuf::from("/"),
        folder => root.join(folder),
    };
    let Ok(entries) = fs::read_dir(within) else { return Vec::new() };
    let mut names: Vec<_> = entries
        .flatten()
        .filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            let is_hidden = name.starts_with('.') && !start.starts_with('.');
            if is_hidden || !name.starts_with(start) || name.contains(char::is_control) {
                return None;
            }
            let end = if entry.path().is_dir() { "/" } else { "" };
            Some(format!("{name}{end}"))
        })
        .collect();
    names.sort();
    names.truncate(MOST_NAMES);
    let parent = &typed[..typed.len() - start.len()];
    names.iter().map(|name| pair(name, written(&format!("{parent}{name}")))).collect()
}

/// The number of names that are offered at once.
const MOST_NAMES: usize = 200;
