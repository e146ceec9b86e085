//! The difference of a file as git writes it, so that `git apply` takes it.
//!
//! This module compares contents and permissions, and does not use the journal.

use std::fmt::Write as _;
use std::path::Path;

use silcrow_tool::{DeltaKind, FileDelta};

use crate::changes::entry_path;
use crate::diff::LineDiff;
use crate::messages::escaped;
use crate::risky_names::is_secret;

/// A file or a link, in git's terms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PatchSide {
    Missing,
    /// A content and permissions.
    File(Vec<u8>, u32),
    /// Its target, as a record writes it.
    Link(String),
    /// A file whose content is not known.
    Unknown(u32),
}

impl PatchSide {
    /// Returns the mode that git has for it, and its bytes if they are known.
    fn parts(&self) -> Option<(u32, Option<Vec<u8>>)> {
        let mode = |mode: &u32| if mode & 0o100 == 0 { 0o100_644 } else { 0o100_755 };
        match self {
            Self::Missing => None,
            Self::File(content, own) => Some((mode(own), Some(content.clone()))),
            Self::Unknown(own) => Some((mode(own), None)),
            Self::Link(to) => {
                let to = entry_path::path(to);
                Some((0o120_000, Some(to.as_os_str().as_encoded_bytes().to_vec())))
            }
        }
    }
}

/// Returns the difference of a file with its counts, and the complete difference in git's format;
/// `None` if git sees none.
pub(crate) fn patch(
    path: &Path,
    before: &PatchSide,
    after: &PatchSide,
) -> Option<(FileDelta, String)> {
    let shown = escaped(&path.to_string_lossy());
    let (old, new) = (before.parts(), after.parts());
    let kind = match (&old, &new) {
        (None, None) => return None,
        (None, _) => DeltaKind::Created,
        (_, None) => DeltaKind::Removed,
        _ => DeltaKind::Changed,
    };
    let is_link =
        |side: &Option<(u32, _)>| side.as_ref().is_some_and(|(mode, _)| *mode == 0o120_000);
    if kind == DeltaKind::Changed && is_link(&old) != is_link(&new) {
        // Git has no way to turn one into the other.
        let gone = patch(path, before, &PatchSide::Missing);
        let come = patch(path, &PatchSide::Missing, after);
        let (gone, come) = (gone?, come?);
        return Some((FileDelta::new(shown, kind), gone.1 + &come.1));
    }
    let (a, b) = (quoted("a/", path), quoted("b/", path));
    let mut text = format!("diff --git {a} {b}\n");
    match (&old, &new) {
        (None, Some((mode, _))) => {
            let _ = writeln!(text, "new file mode {mode:o}");
        }
        (Some((mode, _)), None) => {
            let _ = writeln!(text, "deleted file mode {mode:o}");
        }
        (Some((old, _)), Some((new, _))) if old != new => {
            let _ = write!(text, "old mode {old:o}\nnew mode {new:o}\n");
        }
        _ if before == after => return None,
        _ => {}
    }
    let delta = FileDelta::new(shown, kind);
    if is_secret(path.iter()) {
        text.push_str("The lines are not shown, because the file may hold secrets.\n");
        return Some((delta, text));
    }
    let content = |side: &Option<(u32, Option<Vec<u8>>)>| match side {
        None => Some(String::new()),
        Some((_, content)) => {
            String::from_utf8(content.clone()?).ok().filter(|it| !it.contains('\0'))
        }
    };
    let (Some(before), Some(after)) = (content(&old), content(&new)) else {
        let _ = writeln!(text, "Binary files {a} and {b} differ");
        return Some((delta, text));
    };
    let diff = LineDiff::exact(&before, &after);
    if !diff.hunks.is_empty() {
        // Git ends a name with blanks by a tab.
        let end = if path.to_string_lossy().contains(' ') { "\t" } else { "" };
        let (a, b) = match kind {
            DeltaKind::Created => ("/dev/null".to_owned(), b + end),
            DeltaKind::Removed => (a + end, "/dev/null".to_owned()),
            DeltaKind::Changed => (a + end, b + end),
        };
        let _ = write!(text, "--- {a}\n+++ {b}\n{}", diff.hunks);
    }
    let delta = delta.with_lines(diff.added as u64, diff.removed as u64);
    Some((delta.with_hunks(diff.hunks), text))
}

/// Returns a name as git quotes it.
fn quoted(side: &str, path: &Path) -> String {
    let plain =
        path.to_str().filter(|it| !it.contains(|c: char| c.is_control() || "\"\\".contains(c)));
    if let Some(path) = plain {
        return format!("{side}{path}");
    }
    let mut quoted = format!("\"{side}");
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'"' | b'\\' => quoted.extend(['\\', char::from(*byte)]),
            b' '..=b'~' => quoted.push(char::from(*byte)),
            _ => {
                let _ = write!(quoted, "\\{byte:03o}");
            }
        }
    }
    quoted + "\""
}
