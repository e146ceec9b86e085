//! The entries of a folder and of those below it, as a tree.
//!
//! Folders are read level by level, so that the upper levels are complete if the space does not
//! suffice for all. A tree holds its entries in the order in which they were read; children follow
//! from their parents. Links are not followed, and private folders and folders with secrets are not
//! entered.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use silcrow_event::Truncation;
use silcrow_tool::{CancellationToken, ToolError, ToolOutput};

use crate::entries::{EntryKind, FirstEntries};
use crate::ignore_rules::IgnoreRules;
use crate::messages;
use crate::open_folder::OpenFolder;
use crate::resolve::PathAccess;
use crate::risky_names::is_secret;
use crate::root::Root;
use crate::system::FileId;
use crate::tree_walk::{is_generated, rules_at};

/// A tree of entries.
pub(crate) struct TreeList<'a> {
    cancel: &'a CancellationToken,
    private: Vec<FileId>,
    shows_ignored: bool,
    lines: Vec<TreeLine>,
    /// The paths of entries that git ignores.
    ignored: Vec<String>,
    /// The number of entries that do not fit.
    omitted: usize,
}

/// An entry of a tree.
struct TreeLine {
    text: String,
    /// The positions of the entries of a folder that was read.
    children: Vec<usize>,
}

/// A folder whose entries are not read yet.
struct PendingFolder {
    /// The position of its entry, or `None` for the listed folder.
    at: Option<usize>,
    folder: OpenFolder,
    own: PathBuf,
    rules: IgnoreRules,
    level: usize,
}

impl<'a> TreeList<'a> {
    /// Lists the folder at `path`.
    pub(crate) fn read(
        root: &Root,
        path: &str,
        depth: usize,
        ignored: bool,
        cancel: &'a CancellationToken,
    ) -> Result<ToolOutput, ToolError> {
        let place = root.find(path, PathAccess::Read).map_err(|error| root.failure(path, error))?;
        let folder = place.trail.last().clone();
        if let Some(name) = place.rest.last() {
            let found = folder.dir.symlink_metadata(name);
            let found = found.map_err(|error| root.failure(path, error))?;
            let kind = messages::kind_name(found.file_type());
            return Err(ToolError::new(format!(
                "{} is {kind}, not a folder",
                messages::quoted(path)
            )));
        }
        let mut tree = Self {
            cancel,
            private: root.private(),
            shows_ignored: ignored,
            lines: Vec::new(),
            ignored: Vec::new(),
            omitted: 0,
        };
        let rules = rules_at(root, &place, ignored);
        let first = PendingFolder { at: None, folder, own: place.path(), rules, level: 1 };
        let mut top = Vec::new();
        let mut level = tree.folder(&first, &mut top).map_err(|error| root.failure(path, error))?;
        while !level.is_empty() && !cancel.is_cancelled() {
            let mut next = Vec::new();
            for pending in level.into_iter().filter(|pending| pending.level <= depth) {
                let mut children = Vec::new();
                // A folder that cannot be read shows no entries.
                if let Ok(folders) = tree.folder(&pending, &mut children) {
                    next.extend(folders);
                }
                if let Some(line) = pending.at.and_then(|at| tree.lines.get_mut(at)) {
                    line.children = children;
                }
            }
            level = next;
        }
        match cancel.is_cancelled() {
            true => Err(messages::cancelled()),
            false => Ok(tree.into_output(&top)),
        }
    }

    /// Adds the entries of a folder, and returns the folders among them.
    fn folder(
        &mut self,
        pending: &PendingFolder,
        children: &mut Vec<usize>,
    ) -> std::io::Result<Vec<PendingFolder>> {
        let room = MAX_ENTRIES - self.lines.len();
        let entries = FirstEntries::read(&pending.folder.dir, MAX_READ, self.cancel)?;
        let mut rules = pending.rules.clone();
        if !self.shows_ignored && (entries.has(".gitignore") || entries.has(".git")) {
            rules = rules.with(&pending.folder);
        }
        self.omitted += entries.others;
        let mut folders = Vec::new();
        let mut left = room;
        for entry in entries.first {
            let is_folder = entry.kind == EntryKind::Folder;
            if !self.shows_ignored
                && entry.name != ".git"
                && (rules.ignores(&entry.name, is_folder)
                    || (is_folder && is_generated(&entry.name)))
            {
                let slash = if is_folder { "/" } else { "" };
                let name = messages::escaped(&pending.own.join(&entry.name).to_string_lossy());
                self.ignored.push(name + slash);
                continue;
            }
            if left == 0 {
                self.omitted += 1;
                continue;
            }
            left -= 1;
            let at = self.lines.len();
            children.push(at);
            let text = shown(&pending.folder, &entry.name);
            self.lines.push(TreeLine { text, children: Vec::new() });
            if is_folder {
                folders.extend(self.below(pending, entry.name, &rules, at));
            }
        }
        Ok(folders)
    }

    /// Returns a folder in another one, unless it is not to be entered.
    fn below(
        &self,
        above: &PendingFolder,
        name: OsString,
        rules: &IgnoreRules,
        at: usize,
    ) -> Option<PendingFolder> {
        let own = above.own.join(&name);
        if name == ".git" || is_secret(own.iter()) {
            return None;
        }
        let folder = above.folder.enter(&name).ok()?;
        if self.private.contains(&folder.id) {
            return None;
        }
        let rules = rules.at(&name);
        Some(PendingFolder { at: Some(at), folder, own, rules, level: above.level + 1 })
    }

    fn into_output(self, top: &[usize]) -> ToolOutput {
        let entries = self.lines.len() + self.omitted;
        let mut text = String::new();
        self.write(&mut text, top, 0);
        text.pop();
        let mut output = ToolOutput::new(messages::count(entries, "entry", "entries"), text);
        if entries == 0 && self.ignored.is_empty() {
            output = output.with_notice("the folder is empty");
        }
        if !self.ignored.is_empty() {
            let number = messages::count(self.ignored.len(), "entry", "entries");
            let shown = self.ignored.iter().take(MAX_NAMED).map(|name| format!("`{name}`"));
            let more = (self.ignored.len() > MAX_NAMED).then(|| "…".to_owned());
            let shown = shown.chain(more).collect::<Vec<_>>().join(", ");
            let notice = format!("left out, as git does: {number} ({shown}); `ignored` shows them");
            output = output.with_notice(notice);
        }
        match self.omitted {
            0 => output,
            others => {
                output.with_truncation(Truncation::default().with_omitted_lines(others as u64))
            }
        }
    }

    fn write(&self, text: &mut String, lines: &[usize], level: usize) {
        for line in lines.iter().filter_map(|at| self.lines.get(*at)) {
            text.push_str(&"  ".repeat(level));
            text.push_str(&line.text);
            text.push('\n');
            self.write(text, &line.children, level + 1);
        }
    }
}

/// Returns the line for an entry.
fn shown(folder: &OpenFolder, name: &OsStr) -> String {
    let shown = messages::escaped(&name.to_string_lossy());
    match folder.dir.symlink_metadata(name) {
        Ok(metadata) if metadata.is_dir() => format!("{shown}/"),
        Ok(metadata) if metadata.is_file() => format!("{shown}  {} bytes", metadata.len()),
        Ok(metadata) => format!("{shown}  ({})", messages::kind_name(metadata.file_type())),
        // It was removed meanwhile, or access is denied.
        Err(_) => format!("{shown}  (unknown)"),
    }
}

/// The number of entries that are shown.
const MAX_ENTRIES: usize = 1000;

/// The number of entries that are read of a folder, including those that are not shown.
const MAX_READ: usize = 4 * MAX_ENTRIES;

/// The number of entries that git ignores and that are named.
const MAX_NAMED: usize = 10;
