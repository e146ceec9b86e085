//! Notices for the person and the model about files that programs run automatically.

use std::path::PathBuf;

use silcrow_sandbox::{ProcessOutcome, ProtectedChanges};
use silcrow_tool::ToolOutput;

use crate::named_path::named;

/// Adds a running command's changes of such files: to the notices for the model, and to the
/// summary, which a person reads.
pub(crate) fn with_early(output: ToolOutput, changes: &ProtectedChanges) -> ToolOutput {
    let how = "as long as it runs in the background, they are renamed again, so stop it first; then \
        `file_write` asks for such a file";
    let output = with_protected(output, &changes.set_aside, &changes.changed, how);
    with_restored(output, &changes.restored)
}

fn with_protected(
    mut output: ToolOutput,
    set_aside: &[PathBuf],
    changed: &[PathBuf],
    how: &str,
) -> ToolOutput {
    if let Some(paths) = listed(set_aside) {
        output.summary.push_str(&format!("; set aside, because programs run it: {paths}"));
        output = output.with_notice(format!(
            "while the command ran, protected paths were made, which programs run by themselves and \
             only a person may allow; they are renamed to {paths}; {how}"
        ));
    }
    if let Some(paths) = listed(changed) {
        output.summary.push_str(&format!("; look at it, because programs run it: {paths}"));
        output = output.with_notice(format!(
            "while the command ran, files were changed that programs run by themselves, and the \
             sandbox could not prevent it here; a person should look at them: {paths}"
        ));
    }
    output
}

/// Adds the paths that were put back.
fn with_restored(mut output: ToolOutput, restored: &[PathBuf]) -> ToolOutput {
    if let Some(paths) = listed(restored) {
        output.summary.push_str(&format!("; put back: {paths}"));
        output = output.with_notice(format!(
            "the command changed files that make git run programs, or that programs run by themselves; \
             they are as before again: {paths}"
        ));
    }
    output
}

/// Adds the outcome of a command for such files.
pub(crate) fn with_outcome(output: ToolOutput, outcome: &ProcessOutcome) -> ToolOutput {
    let how = "`file_write` asks for such a file";
    let output = with_protected(output, &outcome.set_aside, &outcome.changed, how);
    let mut output = with_restored(output, &outcome.restored);
    output = with_new_sockets(output, &outcome.new_sockets);
    if outcome.is_partly_hidden {
        output = output.with_notice(
            "not all files that usually hold secrets were hidden from the command, because there are \
             too many files or folders, or a name is not UTF-8",
        );
    }
    if outcome.is_partly_checked {
        return output.with_notice(
            "not all folders were looked through for new files that programs run by themselves, \
             because they cannot be read",
        );
    }
    output
}

/// Adds the sockets that a command could have reached, because other programs made them while it
/// ran.
fn with_new_sockets(mut output: ToolOutput, sockets: &[PathBuf]) -> ToolOutput {
    if let Some(paths) = listed(sockets) {
        output.summary.push_str(&format!("; could reach new sockets of other programs: {paths}"));
        output = output.with_notice(format!(
            "while the command ran, other programs made local sockets where it could reach them, \
             because this kernel does not hold such sockets; later commands cannot: {paths}"
        ));
    }
    output
}

/// Returns the first paths in words, or `None` if there are none.
fn listed(paths: &[PathBuf]) -> Option<String> {
    let first: Vec<_> = paths.iter().take(MOST_NAMED).map(|path| named(path)).collect();
    let more = paths.len() - first.len();
    let first = first.join(", ");
    match (paths.len(), more) {
        (0, _) => None,
        (_, 0) => Some(first),
        _ => Some(format!("{first} and {more} more")),
    }
}

/// The number of paths that a notice names.
const MOST_NAMED: usize = 5;
