//! The line that a person reads about an entry that a command changed.

use silcrow_tool::{DeltaKind, FileDelta};

use super::entry::{EntryDifference, SnapshotEntry};
use super::store::ContentStore;
use crate::diff::LineDiff;
use crate::file_state::FileState;
use crate::messages::escaped;
use crate::risky_names::is_secret;

/// Returns the difference of an entry in short; `None` for a folder with only new or removed
/// entries.
pub(crate) fn delta(difference: &EntryDifference, store: &ContentStore) -> Option<FileDelta> {
    let EntryDifference { path, before, after } = difference;
    let kind = match (before, after) {
        (None, _) => DeltaKind::Created,
        (_, None) => DeltaKind::Removed,
        _ => DeltaKind::Changed,
    };
    let entry = after.as_ref().or(before.as_ref())?;
    let mut shown = escaped(&path.to_string_lossy());
    if entry.state == FileState::Folder {
        shown.push('/');
    }
    let delta = FileDelta::new(shown, kind);
    if is_secret(path.iter()) {
        return Some(delta);
    }
    let text = |entry: &Option<SnapshotEntry>| match entry {
        None => Some(String::new()),
        Some(SnapshotEntry { state: state @ FileState::Sha256(_), stamp, .. })
            if stamp.length <= MAX_COUNTED =>
        {
            String::from_utf8(store.content(state).ok()?).ok()
        }
        Some(_) => None,
    };
    Some(match (text(before), text(after)) {
        (Some(before), Some(after)) => {
            let lines = LineDiff::new(&before, &after);
            delta.with_lines(lines.added as u64, lines.removed as u64)
        }
        _ => delta,
    })
}

/// The length of a file whose lines are counted, in bytes.
const MAX_COUNTED: u64 = 256 << 10;
