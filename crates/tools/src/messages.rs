//! Messages to the model, which name paths as the model wrote them.
//!
//! This module words the system's errors, for any tool.

use std::io;
use std::path::Path;

use cap_std::fs::{Dir, FileType};
use silcrow_tool::{ToolError, ToolOutput, closest_names};

use crate::lookalike_names::spelled_out;
use crate::resolve::ResolvedPath;
use crate::system::{self, Errno};

/// Returns the message about an error of the system at `path`. `dir` is the root, and `below` the
/// path from it.
pub(crate) fn system_error(dir: &Dir, path: &str, below: &Path, error: &io::Error) -> ToolError {
    let quoted_path = quoted(path);
    let why = match Errno::from_io_error(error) {
        Some(Errno::NOENT) if path.is_empty() => "is empty; write a path, such as `src`",
        Some(Errno::NOENT) => return missing(dir, path, below),
        Some(Errno::ACCESS | Errno::PERM) => "may not be touched: the system denies it",
        Some(Errno::NOTDIR) => "is not a folder, or leads through something that is not a folder",
        Some(Errno::ISDIR) => "is a folder",
        Some(Errno::LOOP) => "goes through links without an end, or through a forbidden one",
        Some(Errno::NAMETOOLONG) => "is too long",
        Some(Errno::INVAL) => "is not a path: it has a character that no path may have",
        Some(Errno::NXIO) => "is a socket or a device that cannot be opened",
        Some(Errno::NOSPC | Errno::DQUOT) => "does not fit: the disk is full",
        Some(Errno::FBIG) => "is too large for the file system",
        Some(Errno::ROFS) => "cannot be changed: the file system is read-only",
        _ => return ToolError::new(format!("{quoted_path}: {}", error.kind())),
    };
    ToolError::new(format!("{quoted_path} {why}"))
}

/// Returns the message about a path that leads out of the root. It gives the path of the root, if
/// that is needed to write a better path.
pub(crate) fn outside_root(path: &str, root: Option<&str>) -> ToolError {
    let root = root.map(|root| format!(", which is {}", quoted(root))).unwrap_or_default();
    let why = format!("leads out of the folder that you may use{root}");
    ToolError::new(format!("{} {why}; write a path inside it, such as `src`", quoted(path)))
}

/// Returns the message about a name that does not exist, and that several others look like.
pub(crate) fn ambiguous(path: &str, names: &[String]) -> ToolError {
    let names: Vec<_> = names.iter().map(|name| quoted(name)).collect();
    let next = "write one of them exactly, with these characters";
    ToolError::new(format!(
        "{} does not exist, and several names look like it: {}; {next}",
        quoted(path),
        names.join(", ")
    ))
}

/// Returns the notice about a file that was found under a name that only looks like the given one.
pub(crate) fn lookalike(place: &ResolvedPath) -> Option<String> {
    let path = place.path();
    place.is_lookalike.then(|| {
        let spelled = spelled_out(&path.to_string_lossy());
        format!("nothing has exactly this name; {} looks like it and was used", quoted(&spelled))
    })
}

/// Returns the notice about the other names of a file that was replaced.
pub(crate) fn cut_links(links: u64) -> Option<String> {
    Some(match links.saturating_sub(1) {
        0 => return None,
        1 => "the file had another name (a hard link), which keeps the old text".to_owned(),
        others => {
            format!("the file had {others} other names (hard links), which keep the old text")
        }
    })
}

/// Returns the message about a protected path.
pub(crate) fn protected(path: &str, why: &str) -> ToolError {
    ToolError::new(format!("{} {why}", quoted(path)))
}

/// Returns the message about a path with a risk that no person approved.
pub(crate) fn needs_approval(path: &str, risk: &str) -> ToolError {
    let quoted = quoted(path);
    ToolError::new(format!("{quoted} needs a person's own approval, which is missing: {risk}"))
}

/// Returns the message about a file that is not searched because it usually holds secrets.
pub(crate) fn not_searched(path: &str) -> ToolError {
    let next = "file_read asks a person before it reads it";
    ToolError::new(format!("{} usually holds secrets and is not searched; {next}", quoted(path)))
}

/// Returns the message about a file whose present content the conversation has not read.
pub(crate) fn unknown_content(path: &str, is_changed: bool) -> ToolError {
    let why = match is_changed {
        true => "has changed since this conversation last read or wrote it",
        false => "exists, and this conversation has not read it",
    };
    let next = "nothing was written; read it with file_read first, then write it, or change a part \
                of it with file_edit";
    ToolError::new(format!("{} {why}; {next}", quoted(path)))
}

/// Returns the message about a file that another program changed during the call.
pub(crate) fn changed_meanwhile(path: &str) -> ToolError {
    let next = "nothing was written; read it and call again";
    ToolError::new(format!("{} was changed by others during the call; {next}", quoted(path)))
}

/// Returns the message about a path that does not exist. It suggests similar names in the deepest
/// folder on the path that exists.
fn missing(dir: &Dir, path: &str, below: &Path) -> ToolError {
    let quoted_path = quoted(path);
    let mut at = below;
    while let (Some(parent), Some(wanted)) = (at.parent(), at.file_name()) {
        let folder = if parent.as_os_str().is_empty() { Path::new(".") } else { parent };
        let entries = match dir.read_dir(folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                at = parent;
                continue;
            }
            Err(_) => break,
        };
        let names: Vec<_> = entries
            .flatten()
            .take(MAX_COMPARED)
            .filter_map(|entry| entry.file_name().into_string().ok())
            .collect();
        let wanted = wanted.to_string_lossy();
        if names.iter().any(|name| *name == wanted) {
            let link = quoted(&at.to_string_lossy());
            return ToolError::new(format!("{link} is a link that leads nowhere"));
        }
        let near: Vec<_> = closest_names(&wanted, names.iter().map(String::as_str))
            .into_iter()
            .map(|name| quoted(&parent.join(name).to_string_lossy()))
            .collect();
        if near.is_empty() {
            break;
        }
        let meant = near.join(" or ");
        return ToolError::new(format!("{quoted_path} does not exist; did you mean {meant}?"));
    }
    ToolError::new(format!("{quoted_path} does not exist; file_list shows what does"))
}

/// The number of names that are compared in search of a similar one.
const MAX_COMPARED: usize = 10_000;

/// Returns the message about something that is not a regular file, with its kind.
pub(crate) fn not_regular_file(path: &str, kind: FileType) -> ToolError {
    let next = if kind.is_dir() { "; file_list shows what is in it" } else { "" };
    ToolError::new(format!("{} is {}, not a regular file{next}", quoted(path), kind_name(kind)))
}

pub(crate) fn kind_name(kind: FileType) -> &'static str {
    match kind {
        _ if kind.is_file() => "a file",
        _ if kind.is_dir() => "a folder",
        _ if kind.is_symlink() => "a link",
        _ => system::special_kind(kind),
    }
}

/// Returns a path between backticks, cut if it is long.
pub(crate) fn quoted(path: &str) -> String {
    const MAX: usize = 200;
    match path.char_indices().nth(MAX) {
        Some((cut, _)) => format!("`{}…`", escaped(&path[..cut])),
        None => format!("`{}`", escaped(path)),
    }
}

/// Returns a name with its control characters escaped.
pub(crate) fn escaped(name: &str) -> String {
    name.chars()
        .map(|c| if c.is_control() { c.escape_default().to_string() } else { c.into() })
        .collect()
}

/// Returns a number with its noun, such as `1 file` or `2 files`.
pub(crate) fn count<N: TryInto<u64>>(number: N, one: &str, many: &str) -> String {
    let number = number.try_into().unwrap_or(u64::MAX);
    format!("{number} {}", if number == 1 { one } else { many })
}

/// Returns the output with notices about it, which are also appended to the summary.
pub(crate) fn with_notices<const N: usize>(
    output: ToolOutput,
    notices: [Option<String>; N],
) -> ToolOutput {
    notices.into_iter().flatten().fold(output, |output, notice| {
        let summary = format!("{}; {notice}", output.summary);
        let mut output = output.with_notice(notice);
        output.summary = summary;
        output
    })
}

/// Returns the notice about bytes that are shown as U+FFFD, or `None` for a text without them.
pub(crate) fn invalid_bytes(wrong: usize) -> Option<String> {
    (wrong > 0).then(|| {
        format!("{}, shown as `�`", count(wrong, "byte is not UTF-8", "bytes are not UTF-8"))
    })
}

/// Returns the message about a path that now leads to another file than the approved one.
pub(crate) fn changed_target(path: &str) -> ToolError {
    let next = "nothing was written; look at it and call again";
    ToolError::new(format!("{} leads to another file than before; {next}", quoted(path)))
}

/// Returns the message about a file that is not changed because the change could not be recorded.
pub(crate) fn not_recorded(path: &str, error: &io::Error) -> ToolError {
    let quoted = quoted(path);
    ToolError::new(format!("{quoted} is as it was: its content could not be kept first: {error}"))
}

/// Returns the message about a file that was changed, and whose folder the disk did not confirm.
pub(crate) fn not_synced(path: &str, error: &io::Error) -> ToolError {
    let quoted = quoted(path);
    ToolError::new(format!(
        "{quoted} was changed, but the disk did not confirm it, so a power cut may undo that: \
         {error}; ask the person to check the disk"
    ))
}

/// Returns the message about a call that was cancelled before its end.
pub(crate) fn cancelled() -> ToolError {
    ToolError::new("the call was cancelled")
}
