//! Paths that are protected by their names, at any depth.
//!
//! The supervisor looks for them before a command and after it:
//!
//! ```text
//! before: is there ── a layer of the kernel can guard it ──► guarded
//!                 └── otherwise ──► noted with its last change
//! after:  guarded ──► nothing to do
//!         noted   ── it was changed ──► reported
//!         new, or replaced ──► renamed
//! ```
//!
//! Without Landlock a person has approved the command as it is, and nothing is looked for.

mod tree_look;

use std::collections::hash_map::DefaultHasher;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, Metadata};
use std::hash::{Hash as _, Hasher as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use self::tree_look::{FoundPath, TreeLook};
use super::protected::{DeviceAndInode, identity, renamed};
use crate::settings::HelperSettings;

/// The paths with protected names as they were before a command.
pub(super) struct NamedPaths {
    before: BTreeMap<PathBuf, NamedPath>,
    levels: usize,
    is_cut: bool,
    unread: BTreeSet<PathBuf>,
}

/// A path with a protected name.
struct NamedPath {
    own: Option<DeviceAndInode>,
    /// The folder: a command can move it away, and make another.
    folder: Option<DeviceAndInode>,
    content: NotedContent,
}

/// What is known of the content at a path.
#[derive(Clone, Copy, PartialEq, Eq)]
enum NotedContent {
    /// The kernel guards it.
    Guarded,
    /// A number for its state.
    State(u64),
    /// It has too many files.
    Unknown,
}

/// What a command did to paths with protected names.
#[derive(Default)]
pub(super) struct NamedChanges {
    /// The new names of what it made.
    pub(super) set_aside: Vec<PathBuf>,
    /// What it changed and the kernel could not guard.
    pub(super) changed: Vec<PathBuf>,
    /// Whether some folders were not looked at.
    pub(super) is_cut: bool,
}

impl NamedPaths {
    /// Looks for the paths, and adds those to the protected paths that the kernel can guard.
    pub(super) fn note(settings: &mut HelperSettings) -> Option<Self> {
        let is_confined = settings.layers.landlock && settings.command.is_some();
        if !is_confined || settings.protected_names.is_empty() {
            return None;
        }
        let look = look(settings);
        let (mut before, mut is_cut) = (BTreeMap::new(), look.is_cut);
        let mut budget = MOST_CONTENT;
        for found in look.found {
            let is_guarded = before.len() < MOST_GUARDED && can_guard(&found, settings);
            if is_guarded && !settings.protected.contains(&found.path) {
                settings.protected.push(found.path.clone());
            }
            let noted = NamedPath::new(&found.path, is_guarded, &mut budget);
            is_cut |= noted.content == NotedContent::Unknown;
            before.insert(found.path, noted);
        }
        Some(Self { before, levels: look.levels, is_cut, unread: look.unread })
    }

    /// Looks again after the command, and renames what is new.
    pub(super) fn compare(&self, settings: &HelperSettings) -> NamedChanges {
        let look = look(settings);
        let is_cut = self.is_cut || look.is_cut || !look.unread.is_subset(&self.unread);
        let mut changes = NamedChanges { is_cut, ..NamedChanges::default() };
        // Deeper than both have read, what is there now may have been there before.
        let levels = self.levels.min(look.levels);
        for FoundPath { path, .. } in look.found.into_iter().filter(|it| it.level <= levels) {
            let before = self.before.get(&path);
            let is = |content| before.is_some_and(|before| before.content == content);
            let is_guarded = is(NotedContent::Guarded);
            let mut budget = MOST_CONTENT;
            let now = NamedPath::new(&path, is_guarded, &mut budget);
            let is_new = match before {
                None => !self.before.values().any(|before| before.is_moved_to(&now)),
                // Others may replace it meanwhile, unless its whole folder was exchanged.
                Some(before) if is_guarded && before.folder == now.folder => false,
                Some(before) => before.own != now.own,
            };
            if is_new {
                changes.set_aside.extend(renamed(&path));
            } else if !is(NotedContent::Unknown) && !is(now.content) && before.is_some() {
                changes.changed.push(path);
            }
        }
        changes.set_aside.truncate(MOST_REPORTED);
        changes.changed.truncate(MOST_REPORTED);
        changes
    }
}

impl NamedPath {
    fn new(path: &Path, is_guarded: bool, budget: &mut usize) -> Self {
        let content = match is_guarded {
            true => NotedContent::Guarded,
            false => content(path, budget).map_or(NotedContent::Unknown, NotedContent::State),
        };
        Self { own: identity(path), folder: path.parent().and_then(identity), content }
    }

    /// Returns whether this is what is there now, moved together with its folder.
    fn is_moved_to(&self, now: &Self) -> bool {
        self.own == now.own
            && (self.content == NotedContent::Guarded || self.content == now.content)
    }
}

fn look(settings: &HelperSettings) -> TreeLook {
    let HelperSettings { watched, protected_names, hidden, .. } = settings;
    TreeLook::new(watched, protected_names, hidden, MOST_ENTRIES)
}

/// Returns whether the kernel can guard a path and leave the rest of its folder as it is.
fn can_guard(found: &FoundPath, settings: &HelperSettings) -> bool {
    // Nothing is mounted on a link. Landlock keeps new files out of the whole folder, which is
    // acceptable only near the root.
    !found.is_link && (settings.layers.namespaces || found.is_at_root)
}

/// Returns a number for the state of a file, or of a folder with all that is in it: a change gives
/// another one, because nobody can set the time of the last change. Returns `None` if that is more
/// than the budget of files allows.
fn content(path: &Path, budget: &mut usize) -> Option<u64> {
    let mut hasher = DefaultHasher::new();
    let mut left = vec![path.to_owned()];
    while let Some(path) = left.pop() {
        *budget = budget.checked_sub(1)?;
        let Ok(metadata) = fs::symlink_metadata(&path) else { continue };
        state(&metadata).hash(&mut hasher);
        if metadata.is_dir() {
            let entries = fs::read_dir(&path).into_iter().flatten().filter_map(Result::ok);
            let mut inside: Vec<_> = entries.map(|entry| entry.path()).collect();
            inside.sort_unstable();
            left.append(&mut inside);
        }
    }
    Some(hasher.finish())
}

fn state(metadata: &Metadata) -> (u64, u64, i64, i64) {
    (metadata.ino(), metadata.len(), metadata.ctime(), metadata.ctime_nsec())
}

/// The number of entries that a look reads.
const MOST_ENTRIES: usize = 200_000;

/// The number of paths that the kernel guards by their names: each of them costs a mount.
const MOST_GUARDED: usize = 1000;

/// The number of files whose state is noted, in all folders together.
const MOST_CONTENT: usize = 50_000;

/// The number of paths in a report.
const MOST_REPORTED: usize = 1000;
