//! The failures inside of pipes, which the exit status of a command does not show.
//!
//! Bash has the status of each program of a pipe. Before it runs the command, it reads a start file
//! of this crate, which makes it record the statuses of each pipe in which a program before the
//! last one failed. The text of the command stays as it is, and so do its status, `set -e` and line
//! numbers. If the command writes to the record itself, it can only fake the numbers.

use std::fs::{File, OpenOptions};
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use silcrow_sandbox::{ConfinedCommand, Sandbox};
use silcrow_system::SystemOpen as _;

/// The note of a command about its pipes. It is removed when it is dropped.
#[derive(Debug)]
pub(crate) struct PipeNote {
    path: PathBuf,
    /// The start file, which the command cannot change.
    start: PathBuf,
}

impl PipeNote {
    /// Lets bash make a note about a command line, if it can have a pipe. The command stays as it
    /// is if it has no pipe, or if it traces bash's commands, because the trace would show the
    /// note's.
    pub(crate) fn with(
        command: ConfinedCommand,
        text: &str,
        sandbox: &Sandbox,
    ) -> (ConfinedCommand, Option<Self>) {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        if !text.contains('|') || shows_trace(text) {
            return (command, None);
        }
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        // Without it the command runs nevertheless, and no failure is named.
        let start = sandbox.give(&format!("pipes-{number}.bash"), START);
        let Ok(start) = start else { return (command, None) };
        let path = sandbox.temporary_folder().join(format!(".pipes-{number}"));
        let Some(shown) = path.to_str() else { return (command, None) };
        let command = command.with_variable("BASH_ENV", &*start).with_variable(NOTE, shown);
        (command, Some(Self { path, start: start.into() }))
    }

    /// Returns the statuses of programs that failed in pipes, each once, in order. A program that
    /// `head` and the like end has not failed.
    pub(crate) fn read(&self) -> Vec<u8> {
        let mut failures = Vec::new();
        for line in read_note(&self.path).unwrap_or_default().lines() {
            let statuses = line.split(|char: char| !char.is_ascii_digit());
            let statuses: Vec<u8> = statuses.filter_map(|status| status.parse().ok()).collect();
            let Some((_, before_last)) = statuses.split_last() else { continue };
            for status in before_last {
                if ![0, ENDED_BY_PIPE].contains(status) && !failures.contains(status) {
                    failures.push(*status);
                }
            }
        }
        failures.truncate(MOST);
        failures
    }
}

impl Drop for PipeNote {
    fn drop(&mut self) {
        // Most commands leave no note.
        let _ = std::fs::remove_file(&self.path);
        let _ = std::fs::remove_file(&self.start);
    }
}

/// Returns the beginning of the note. A link, a pipe or a device that the command put in its place is
/// not followed.
fn read_note(path: &Path) -> Option<String> {
    let file: File = OpenOptions::new().read(true).plain().open(path).ok()?;
    file.metadata().ok().filter(std::fs::Metadata::is_file)?;
    let mut bytes = Vec::new();
    file.take(LONGEST).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// Returns whether the words may make bash show each command that it runs, among which ours would be.
fn shows_trace(text: &str) -> bool {
    let mut options = text.split("set ").skip(1).filter_map(|rest| rest.split_whitespace().next());
    text.contains("xtrace") || options.any(|word| word.starts_with('-') && word.contains('x'))
}

/// The start file. Bash runs the trap before each command and at its end; in the trap, `PIPESTATUS`
/// belongs to the command before, and it and `$?` are the same afterwards. `$_` is put back.
const START: &str = r#"builtin printf -v __silcrow_pipe %q "$SILCROW_PIPES"
trap "for __silcrow_pipe in \"\${PIPESTATUS[*]}\"; do case \$__silcrow_pipe in *[1-9]*[!0-9]*) __silcrow_last=\$_; builtin printf '%s\\n' \"\$__silcrow_pipe\" >>$__silcrow_pipe || :; : \"\$__silcrow_last\";; esac; done" DEBUG EXIT
unset BASH_ENV SILCROW_PIPES __silcrow_pipe
: "$BASH"
"#;

/// The variable that names the note. The start file removes it.
const NOTE: &str = "SILCROW_PIPES";

/// The status of a program that wrote to a pipe without a reader.
const ENDED_BY_PIPE: u8 = 141;

/// The number of statuses that are named.
const MOST: usize = 4;

/// The bytes of a note that are read.
const LONGEST: u64 = 64 << 10;

#[cfg(test)]
mod tests {
    use super::*;

    fn note(path: PathBuf) -> PipeNote {
        PipeNote { start: path.with_extension("bash"), path }
    }

    #[test]
    fn only_failures_before_the_last_program_count() {
        let folder = tempfile::tempdir().unwrap();
        for (text, failures) in [
            ("", &[][..]),
            ("0 1\n", &[]),
            ("2 0\n2 0\n0\n", &[2]),
            ("141 0\n", &[]),
            ("141 3 0\n1,0\n", &[3, 1]),
            ("x 999 0\n7 4 5 6 7 8 0\n", &[7, 4, 5, 6]),
        ] {
            let path = folder.path().join("note");
            std::fs::write(&path, text).unwrap();
            assert_eq!(note(path).read(), failures, "{text:?}");
            // It is removed.
            assert!(!folder.path().join("note").exists());
        }
        let link = folder.path().join("link");
        std::fs::write(folder.path().join("other"), "9 0\n").unwrap();
        std::os::unix::fs::symlink("other", &link).unwrap();
        assert_eq!(note(link).read(), Vec::<u8>::new());
    }

    #[test]
    fn a_trace_is_recognized() {
        for (text, is_shown) in [
            ("a | b", false),
            ("set -e; tar -xf a | b", false),
            ("set -ex; a | b", true),
            ("set -o xtrace; a | b", true),
            ("bash -x a | b", false),
        ] {
            assert_eq!(shows_trace(text), is_shown, "{text}");
        }
    }
}
