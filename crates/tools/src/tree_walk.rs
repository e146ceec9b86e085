//! A walk through the files below a folder, in the order of their paths and within bounds.
//!
//! The state is the stack of folders that the walk has entered. The walk ends when it is empty, or
//! when the call is cancelled. Links are not followed. This module does not read files.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};

use cap_std::fs::{File, Metadata};
use ignore::overrides::{Override, OverrideBuilder};
use silcrow_tool::{CancellationToken, ToolError};

use crate::entries::{EntryKind, FirstEntries, FolderEntry};
use crate::ignore_rules::IgnoreRules;
use crate::messages;
use crate::open_folder::OpenFolder;
use crate::resolve::{PathAccess, ResolvedPath};
use crate::risky_names::is_secret;
use crate::root::Root;
use crate::system::FileId;

/// The files that a walk passes by.
#[derive(Clone, Debug)]
pub(crate) struct WalkFilter {
    globs: Override,
    /// Whether files that git ignores count, too.
    pub(crate) ignored: bool,
}

impl WalkFilter {
    /// Creates a filter of files that one of the globs matches, or all without a glob. A glob with
    /// `!` before it leaves files out.
    pub(crate) fn new(globs: &[String], ignored: bool) -> Result<Self, ToolError> {
        let mut builder = OverrideBuilder::new(".");
        for glob in globs {
            let wrong = |error| {
                let quoted = messages::quoted(glob);
                ToolError::new(format!(
                    "{quoted} is not a glob ({error}); write one such as `*.rs`"
                ))
            };
            builder.add(glob.strip_prefix("./").unwrap_or(glob)).map_err(wrong)?;
        }
        let globs = builder.build().map_err(|error| ToolError::new(error.to_string()))?;
        Ok(Self { globs, ignored })
    }

    fn leaves_out(&self, path: &Path, is_folder: bool) -> bool {
        self.globs.matched(path, is_folder).is_ignore()
    }
}

/// The numbers of entries that a walk has skipped.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct WalkCounts {
    /// Git ignores them, or they are generated or downloaded.
    pub(crate) ignored: usize,
    /// They usually hold secrets.
    pub(crate) secret: usize,
    /// They are private.
    pub(crate) private: usize,
    /// They could not be read, including those removed meanwhile.
    pub(crate) unreadable: usize,
    /// Their folder has too many.
    pub(crate) too_many: usize,
}

/// A walk through the files below a folder.
pub(crate) struct TreeWalk<'a> {
    cancel: &'a CancellationToken,
    filter: WalkFilter,
    private: Vec<FileId>,
    /// The folders that the walk has entered, the innermost last.
    inside: Vec<EnteredFolder>,
    /// The file at which the walk begins, if it is not a folder.
    single: Option<WalkedFile>,
    pub(crate) counts: WalkCounts,
    folders: usize,
}

/// A file that a walk has found.
#[derive(Debug)]
pub(crate) struct WalkedFile {
    folder: OpenFolder,
    name: OsString,
    /// The path as it is shown.
    pub(crate) shown: PathBuf,
}

impl WalkedFile {
    /// Opens the file.
    pub(crate) fn open(&self) -> io::Result<(File, Metadata)> {
        self.folder.open(&self.name)
    }
}

/// A folder that the walk has entered.
struct EnteredFolder {
    folder: OpenFolder,
    shown: PathBuf,
    own: PathBuf,
    rules: IgnoreRules,
    /// The entries that are left, in reverse order.
    entries: Vec<FolderEntry>,
}

impl<'a> TreeWalk<'a> {
    /// Begins at a folder or a file, which may be named by a link.
    pub(crate) fn begin(
        root: &Root,
        path: &str,
        filter: WalkFilter,
        cancel: &'a CancellationToken,
    ) -> Result<Self, ToolError> {
        let failure = |error| root.failure(path, error);
        let place = root.find(path, PathAccess::Read).map_err(failure)?;
        let (own, folder) = (place.path(), place.trail.last().clone());
        let mut walk = Self {
            cancel,
            filter,
            private: root.private(),
            inside: Vec::new(),
            single: None,
            counts: WalkCounts::default(),
            folders: 0,
        };
        if let Some(name) = place.rest.last() {
            let opened = folder.open(name).map_err(|error| root.failure(path, error))?;
            if !opened.1.is_file() {
                return Err(messages::not_regular_file(path, opened.1.file_type()));
            }
            if is_secret(own.iter()) {
                return Err(messages::not_searched(path));
            }
            walk.single = Some(WalkedFile { folder, name: name.clone(), shown: path.into() });
            return Ok(walk);
        }
        let rules = rules_at(root, &place, walk.filter.ignored);
        // Files are shown without a leading `./`.
        let shown = if path == "." { "" } else { path };
        walk.enter(folder, shown.into(), own, rules).map_err(|error| root.failure(path, error))?;
        Ok(walk)
    }

    /// Returns the next file, or `None` at the end or if the call is cancelled.
    pub(crate) fn next(&mut self) -> Option<WalkedFile> {
        if self.single.is_some() {
            return self.single.take();
        }
        while let Some(inside) = self.inside.last_mut() {
            if self.cancel.is_cancelled() {
                return None;
            }
            let Some(entry) = inside.entries.pop() else {
                self.inside.pop();
                continue;
            };
            match self.entry(entry) {
                Ok(Some(file)) => return Some(file),
                Ok(None) => {}
                Err(_) => self.counts.unreadable += 1,
            }
        }
        None
    }

    fn entry(&mut self, FolderEntry { name, kind }: FolderEntry) -> io::Result<Option<WalkedFile>> {
        let Some(inside) = self.inside.last() else { return Ok(None) };
        let is_folder = match kind {
            EntryKind::Folder => true,
            EntryKind::File => false,
            EntryKind::Other => return Ok(None),
        };
        if !self.filter.ignored
            && ((is_folder && is_generated(&name)) || inside.rules.ignores(&name, is_folder))
        {
            self.counts.ignored += usize::from(name != ".git");
            return Ok(None);
        }
        let own = inside.own.join(&name);
        if self.filter.leaves_out(&own, is_folder) {
            return Ok(None);
        }
        if is_secret(own.iter()) {
            self.counts.secret += 1;
            return Ok(None);
        }
        let (folder, shown) = (inside.folder.clone(), inside.shown.join(&name));
        if !is_folder {
            return Ok(Some(WalkedFile { folder, name, shown }));
        }
        // No call could name a longer path.
        if shown.as_os_str().len() >= MAX_PATH || self.inside.len() == MAX_DEPTH {
            return Err(io::ErrorKind::InvalidFilename.into());
        }
        let folder = folder.enter(&name)?;
        if self.private.contains(&folder.id) {
            self.counts.private += 1;
            return Ok(None);
        }
        let rules = inside.rules.at(&name);
        self.enter(folder, shown, own, rules)?;
        Ok(None)
    }

    fn enter(
        &mut self,
        folder: OpenFolder,
        shown: PathBuf,
        own: PathBuf,
        mut rules: IgnoreRules,
    ) -> io::Result<()> {
        self.folders += 1;
        let kept: usize = self.inside.iter().map(|inside| inside.entries.len()).sum();
        let room = MAX_NAMES.saturating_sub(kept).max(MIN_NAMES);
        let entries = FirstEntries::read(&folder.dir, room, self.cancel)?;
        self.counts.too_many += entries.others;
        let has_rules = entries.has(".gitignore") || entries.has(".git");
        if has_rules && !self.filter.ignored {
            rules = rules.with(&folder);
        }
        let entries = entries.first.into_iter().rev().collect();
        self.inside.push(EnteredFolder { folder, shown, own, rules, entries });
        Ok(())
    }

    /// Returns the number of folders that were entered.
    pub(crate) const fn folders(&self) -> usize {
        self.folders
    }

    /// Returns whether an open file is private.
    pub(crate) fn is_private(private: &[FileId], metadata: &Metadata) -> bool {
        !private.is_empty() && private.contains(&FileId::from_metadata(metadata))
    }
}

/// Returns the rules that hold in the folder at a place, without its own.
pub(crate) fn rules_at(root: &Root, place: &ResolvedPath, ignored: bool) -> IgnoreRules {
    let mut rules = IgnoreRules::above(root);
    if !ignored {
        for (folder, name) in place.trail.folders().zip(place.trail.names()) {
            rules = rules.with(folder).at(name);
        }
    }
    rules
}

/// Returns whether a folder with this name has files that are generated or downloaded.
pub(crate) fn is_generated(name: &OsStr) -> bool {
    GENERATED.iter().any(|generated| name == *generated)
}

/// The names of folders that are left out, as if git ignored them.
const GENERATED: [&str; 3] = [".git", "target", "node_modules"];

/// The longest path in bytes.
const MAX_PATH: usize = 4096;

/// The number of nested folders. Each is held open.
const MAX_DEPTH: usize = 128;

/// The number of names kept of all entered folders.
const MAX_NAMES: usize = 20_000;

/// The number of names that are kept of a folder even if there is no more space.
const MIN_NAMES: usize = 1000;
