//! The preview of the lines that a call would change.

use std::path::Path;

use silcrow_tool::{DeltaKind, FileDelta, FileDiff, Preview, PreviewDiff};

use crate::diff::LineDiff;
use crate::messages::{count, escaped};
use crate::risky_names::is_secret;

/// Returns the number of lines of a text that change, such as `replaces 12 of 40 lines with 15`.
pub(crate) fn changed_lines(before: &str, diff: &LineDiff) -> String {
    let number = before.split_inclusive('\n').count();
    let all = count(number, "line", "lines");
    let added = count(diff.added, "line", "lines");
    match (diff.removed, diff.added) {
        (0, 0) => "changes nothing, because the file has this text already".to_owned(),
        (0, _) if number == 0 => format!("adds {added} to an empty file"),
        (0, _) => format!("adds {added} to {all}"),
        (removed, 0) if removed == number => format!("empties the file of {all}"),
        (removed, 0) => format!("removes {removed} of {all}"),
        (removed, _) => format!("replaces {removed} of {all} with {added}"),
    }
}

/// Sets the effect and the difference of a preview. A difference that is too long to be read is left
/// out, and the effect says so. `args` are the arguments that it shows completely.
pub(crate) fn with_diff<'a>(
    preview: Preview,
    effect: String,
    files: impl IntoIterator<Item = (String, &'a LineDiff)>,
    args: &[&str],
) -> Preview {
    let files = files.into_iter().filter(|(_, diff)| !diff.hunks.is_empty());
    let mut length = 0;
    let mut shown = Vec::new();
    for (path, diff) in files {
        length += path.len() + diff.hunks.len();
        if length > MAX_SHOWN {
            return preview.with_effect(format!("{effect}; the difference is too long to show"));
        }
        shown.push(FileDiff { path, hunks: diff.hunks.clone() });
    }
    let preview = preview.with_effect(effect);
    // If nothing changes, the text is in the arguments.
    let args = if shown.is_empty() { &[] } else { args };
    preview.with_diff(PreviewDiff::new(shown).with_shown_args(args))
}

/// Returns the text about a finished change, for people who watch. It leaves out the lines of a
/// file that may hold secrets, and the lines of a long difference.
pub(crate) fn file_delta(path: &Path, diff: &LineDiff, kind: DeltaKind) -> FileDelta {
    let delta = FileDelta::new(escaped(&path.to_string_lossy()), kind);
    let delta = delta.with_lines(diff.added as u64, diff.removed as u64);
    match is_secret(path.iter()) || diff.hunks.len() > MAX_SHOWN {
        true => delta,
        false => delta.with_hunks(&*diff.hunks),
    }
}

/// The clause about an omitted difference, which would show text beside a change.
pub(crate) const SECRET: &str = "the difference is not shown, because the file may hold secrets";

/// The length of the longest difference that is shown, in bytes.
const MAX_SHOWN: usize = 128 << 10;
