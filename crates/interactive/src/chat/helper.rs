//! The completions of Tab: slash commands and their arguments, and the names of files after `@`.

#[cfg(test)]
mod tests;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use silcrow_console::edit::{LineAid, LineOffer, LineOffers, best_matches};
use silcrow_history::{ConversationOwner, Conversations};
use silcrow_policy::PermissionMode;
use silcrow_session::prompt::{pasted_files, unescaped, written};
use silcrow_store::Store;
use silcrow_term::fit::shortened;
use tokio::runtime::Handle;

use super::candidate::offer;
use super::file_index::FileIndex;
use super::known_servers::KnownServers;
use super::mode::LineMode;
use super::pasted_pictures::PastedPictures;
use super::slash::SlashCommand;
use super::stored_prompts::stored_prompts;

/// Helps with the line that is typed.
pub(super) struct LineHelper {
    /// The folder whose files are completed.
    pub(super) root: PathBuf,
    pub(super) conversations: KnownConversations,
    /// The names of all files of the folder.
    pub(super) index: FileIndex,
    pub(super) servers: KnownServers,
    /// The skills and prompt commands, by their names with a slash, with a few words about each.
    pub(super) own: Vec<(String, String)>,
    pub(super) mode: LineMode,
    pub(super) has_vi_keys: bool,
    pub(super) pasted: PastedPictures,
}

/// The conversation that a session is in, which changes while its lines are read.
#[derive(Clone, Debug)]
pub(super) struct CurrentConversation(Arc<Mutex<String>>);

impl CurrentConversation {
    pub(super) fn new(id: &str) -> Self {
        Self(Arc::new(Mutex::new(id.to_owned())))
    }

    pub(super) fn set(&self, id: &str) {
        id.clone_into(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner));
    }

    fn id(&self) -> String {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// The conversations that `/resume` and `/fork` complete. They are read when Tab is pressed.
pub(super) struct KnownConversations {
    pub(super) store: Arc<dyn Store>,
    pub(super) user: Option<String>,
    /// The conversation that the session is in.
    pub(super) current: CurrentConversation,
    /// The runtime of the store. The editor reads lines on its own thread.
    pub(super) runtime: Handle,
}

impl KnownConversations {
    /// Returns the conversations whose ids begin like this, most recently changed first.
    fn beginning_with(&self, typed: &str) -> Vec<LineOffer> {
        let owner = ConversationOwner::Just(self.user.as_deref());
        let listed = self.runtime.block_on(Conversations::list(&*self.store, owner));
        // Nothing is completed if the store cannot be read.
        let Ok(conversations) = listed else { return Vec::new() };
        let own = conversations.recent().iter();
        let own = own.filter(|one| one.conversation.starts_with(typed)).take(MOST_NAMES);
        own.map(|one| {
            offer(&one.conversation, &shortened(&one.title, 40), one.conversation.clone())
        })
        .collect()
    }

    /// Returns the places at which the conversation can be forked.
    fn fork_points(&self, typed: &str) -> Vec<LineOffer> {
        let current = self.current.id();
        let prompts = self.runtime.block_on(stored_prompts(&*self.store, &current));
        let prompts = prompts.unwrap_or_default();
        if prompts.is_empty() {
            return Vec::new();
        }
        let numbered = prompts.iter().enumerate().map(|(index, (_, prompt))| {
            let number = (index + 1).to_string();
            (number, shortened(prompt.trim(), 40))
        });
        let whole = ("end".to_owned(), "all of it".to_owned());
        let points = numbered.chain([whole]).filter(|(number, _)| number.starts_with(typed));
        points
            .take(MOST_NAMES)
            .map(|(number, about)| offer(&number.clone(), &about, number))
            .collect()
    }
}

impl LineAid for LineHelper {
    fn offers(&self, before: &str, is_asked: bool) -> LineOffers {
        let (start, list) = self.found(before, is_asked);
        LineOffers { start, list }
    }

    fn has_vi_keys(&self) -> bool {
        self.has_vi_keys
    }

    fn hint(&self, line: &str) -> Option<String> {
        if !line.starts_with('/') {
            return self.mode.hint(line.is_empty());
        }
        let mut found =
            SlashCommand::ALL.iter().filter(|help| help.name.starts_with(line.trim_end()));
        match (found.next(), found.next()) {
            (Some(help), None) if line.len() > 1 && !help.args.is_empty() => {
                let rest = help.name.get(line.len()..).unwrap_or_default();
                let blank = if line.ends_with(' ') { "" } else { " " };
                Some(format!("{rest}{blank}{}  {}", help.args, help.about))
            }
            _ => None,
        }
    }

    fn pasted(&self, text: &str) -> Option<String> {
        pasted_files(text, &self.root)
    }

    fn take_picture(&self) -> Option<String> {
        Some(self.pasted.take_picture())
    }

    fn change_mode(&self) {
        self.mode.change();
    }
}

impl LineHelper {
    /// Returns the possible replacements for the end of a line, and the position where that begins.
    fn found(&self, line: &str, is_asked: bool) -> (usize, Vec<LineOffer>) {
        // A blank after a backslash belongs to a name.
        let is_end =
            |(at, char): &(usize, char)| char.is_whitespace() && !line[..*at].ends_with('\\');
        let space = line.char_indices().rev().find(is_end);
        let start = space.map_or(0, |(at, space)| at + space.len_utf8());
        let word = &line[start..];
        if start == 0 && word.starts_with('/') {
            return (0, self.commands(word, is_asked));
        }
        if line.starts_with("/permissions ") {
            let modes =
                PermissionMode::ALL.into_iter().filter(|mode| mode.as_str().starts_with(word));
            let offers =
                modes.map(|mode| offer(mode.as_str(), mode.description(), mode.to_string()));
            return (start, offers.filter(|offer| offer.replacement != word).collect());
        }
        if is_asked && line.starts_with("/resume ") {
            return (start, self.conversations.beginning_with(word));
        }
        if is_asked && (line.starts_with("/fork ") || line.starts_with("/rewind ")) {
            return (start, self.conversations.fork_points(word));
        }
        match word.strip_prefix('@') {
            Some(path) => (start + 1, self.mentioned(path, is_asked)),
            None => (start, Vec::new()),
        }
    }

    /// Returns the commands that a word may mean: first commands that begin like it, then commands
    /// with its letters.
    fn commands(&self, word: &str, is_asked: bool) -> Vec<LineOffer> {
        let all = &SlashCommand::ALL;
        let begin = all.iter().filter(|help| help.name.starts_with(word));
        let names: Vec<_> = all.iter().map(|help| help.name).collect();
        let similar = best_matches(word.trim_start_matches('/'), &names).into_iter();
        let similar = similar.map(|index| &all[index]).filter(|help| !help.name.starts_with(word));
        let similar = similar.filter(|_| !is_asked);
        let own = begin.chain(similar).filter(|help| help.name != word);
        let own = own.map(|help| offer(help.name, help.about, format!("{} ", help.name)));
        let named = self.own.iter().filter(|(name, _)| name.starts_with(word) && name != word);
        let named =
            named.map(|(name, about)| offer(name, &shortened(about, 60), format!("{name} ")));
        own.chain(named).chain(self.servers.prompts(word, is_asked)).collect()
    }

    /// Returns the files, folders and texts of servers that a word after `@` may mean.
    fn mentioned(&self, path: &str, is_asked: bool) -> Vec<LineOffer> {
        let mut found = files(&self.root, path);
        let plain = unescaped(path);
        if !path.is_empty() && !path.contains(':') && !path.starts_with(['/', '.', '"']) {
            let known: Vec<_> = found.iter().map(|offer| offer.replacement.clone()).collect();
            let similar = self.index.similar(&plain, MOST_NAMES).into_iter();
            let similar = similar.map(|name| offer(&name, "", written(&name)));
            found.extend(similar.filter(|offer| !known.contains(&offer.replacement)));
        }
        found.extend(self.servers.resources(path, is_asked));
        found.retain(|offer| offer.replacement != path);
        found
    }
}

/// Returns the files and folders whose paths begin like this, with a `\` before each blank. Hidden ones
/// have to be asked for.
fn files(root: &Path, typed: &str) -> Vec<LineOffer> {
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
    let whole = names.iter().map(|name| format!("{parent}{name}"));
    whole.map(|name| offer(&name, "", written(&name))).collect()
}

/// The number of names that are offered at once.
const MOST_NAMES: usize = 200;
