//! The entries of a tree in a snapshot, and the differences of two snapshots.
//!
//! This module is data and comparisons. It reads nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::file_state::FileState;

/// The files of a root that git does not ignore, as of the last look.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct TreeSnapshot {
    /// The entries by their paths from the root.
    pub(crate) entries: BTreeMap<PathBuf, SnapshotEntry>,
    /// The entries that were skipped with everything in them, because git ignores them, or they are
    /// private, generated, unreadable or too many.
    pub(crate) passed: BTreeSet<PathBuf>,
    /// Entries of the snapshot before that are skipped now. They are compared once more.
    pub(crate) left: BTreeMap<PathBuf, SnapshotEntry>,
    /// The number of the last record of the journal before the look.
    pub(crate) mark: u64,
}

/// An entry of a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SnapshotEntry {
    /// Its kind and content. The content of a file with a hash is kept.
    pub(crate) state: FileState,
    /// Its permissions.
    pub(crate) mode: u32,
    pub(crate) stamp: EntryStamp,
    /// Whether a change since would have changed the stamp. It would not within the resolution of
    /// the file system's clock.
    pub(crate) is_settled: bool,
}

/// The metadata that changes with each change of an entry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct EntryStamp {
    pub(crate) device: u64,
    pub(crate) inode: u64,
    /// The length in bytes.
    pub(crate) length: u64,
    /// The time of the last change of the content, in nanoseconds since 1970.
    pub(crate) modified: i64,
    /// The time of the last change of the entry itself, in nanoseconds since 1970.
    pub(crate) changed: i64,
}

/// A path at which two snapshots differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct EntryDifference {
    pub(crate) path: PathBuf,
    pub(crate) before: Option<SnapshotEntry>,
    pub(crate) after: Option<SnapshotEntry>,
}

impl TreeSnapshot {
    /// Returns whether an entry, or a folder above it, was skipped.
    pub(crate) fn passes(&self, path: &Path) -> bool {
        path.ancestors().any(|above| self.passed.contains(above))
    }

    /// Returns the differences of a later snapshot, in the order of the paths. An entry that one of
    /// them has skipped is not known to be new or gone.
    pub(crate) fn differences(&self, later: &Self) -> Vec<EntryDifference> {
        let mut differences = Vec::new();
        for (path, before) in &self.entries {
            let after = later.entries.get(path).or_else(|| later.left.get(path));
            if after.is_none_or(|after| before.differs(after)) {
                let (before, after) = (Some(before.clone()), after.cloned());
                differences.push(EntryDifference { path: path.clone(), before, after });
            }
        }
        for (path, after) in &later.entries {
            if !self.entries.contains_key(path) && !self.passes(path) {
                let after = Some(after.clone());
                differences.push(EntryDifference { path: path.clone(), before: None, after });
            }
        }
        differences.sort_by(|one, other| one.path.cmp(&other.path));
        differences
    }
}

impl SnapshotEntry {
    /// Returns whether it is certainly the same entry with the same content.
    pub(crate) fn is_unchanged(&self, mode: u32, stamp: EntryStamp) -> bool {
        self.is_settled && self.mode == mode && self.stamp == stamp
    }

    fn differs(&self, later: &Self) -> bool {
        let content = |entry: &Self| {
            let EntryStamp { inode, length, modified, .. } = entry.stamp;
            (inode, length, modified, entry.mode)
        };
        match (&self.state, &later.state) {
            // One of the looks did not read it.
            (FileState::Unread, FileState::Unread | FileState::Sha256(_))
            | (FileState::Sha256(_), FileState::Unread) => content(self) != content(later),
            // The permissions of a link have no effect, and the system does not keep them.
            (FileState::Link(before), FileState::Link(after)) => before != after,
            (before, after) => before != after || self.mode != later.mode,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(content: &str) -> SnapshotEntry {
        let (mode, stamp) = (0o644, EntryStamp::default());
        SnapshotEntry {
            state: FileState::from_content(content.as_bytes()),
            mode,
            stamp,
            is_settled: true,
        }
    }

    fn tree(entries: &[(&str, &str)], passed: &[&str]) -> TreeSnapshot {
        TreeSnapshot {
            entries: entries.iter().map(|(path, content)| (path.into(), entry(content))).collect(),
            passed: passed.iter().map(PathBuf::from).collect(),
            ..TreeSnapshot::default()
        }
    }

    fn paths(before: &TreeSnapshot, after: &TreeSnapshot) -> Vec<String> {
        let paths = before.differences(after).into_iter();
        paths.map(|one| one.path.display().to_string()).collect()
    }

    #[test]
    fn skipped_entries_are_unchanged() {
        let before = tree(&[("a", "1"), ("b", "2")], &["build", ".env"]);
        // Git's rules are gone, so ignored files are seen.
        let after =
            tree(&[("a", "1"), ("build", "x"), ("build/c", "x"), (".env", "k"), ("n", "")], &[]);
        assert_eq!(paths(&before, &after), ["b", "n"]);
        // A file that git ignores now is compared nevertheless.
        let mut ignoring = tree(&[("a", "1")], &["b"]);
        ignoring.left.insert("b".into(), entry("2"));
        assert!(paths(&before, &ignoring).is_empty());
        ignoring.left.insert("b".into(), entry("3"));
        assert_eq!(paths(&before, &ignoring), ["b"]);
    }

    #[test]
    fn link_permissions_are_ignored() {
        let before = tree(&[("a", "1")], &[]);
        let mut after = before.clone();
        after.entries.get_mut(Path::new("a")).unwrap().mode = 0o755;
        assert_eq!(paths(&before, &after), ["a"]);
        for tree in [&before, &after] {
            assert!(paths(tree, tree).is_empty());
        }
        let link = |mode| SnapshotEntry { state: FileState::Link("b".into()), mode, ..entry("") };
        assert!(!link(0o777).differs(&link(0o755)));
    }
}
