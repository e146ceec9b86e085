//! The variables that change only how a command shows its results, so that the words after them are
//! still the command.

use super::script::ShellWord;

/// Returns whether an assignment before a command affects only how the command speaks, counts or
/// repeats its work. A variable that names a file, a program or a host may do more than that.
pub(super) fn is_harmless(assignment: &ShellWord) -> bool {
    let Some((name, value)) = assignment.text.split_once('=') else { return false };
    let is_plain = |char: char| char.is_ascii_alphanumeric() || "_-.,:=+%".contains(char);
    let is_known = NAMES.contains(&name);
    is_known && !assignment.is_dynamic && assignment.glob.is_none() && value.chars().all(is_plain)
}

/// The names of such variables.
const NAMES: [&str; 33] = [
    "CARGO_INCREMENTAL",
    "CARGO_TERM_COLOR",
    "CARGO_TERM_PROGRESS_WHEN",
    "CARGO_TERM_QUIET",
    "CARGO_TERM_VERBOSE",
    "CI",
    "CLICOLOR",
    "CLICOLOR_FORCE",
    "COLUMNS",
    "FORCE_COLOR",
    "LANG",
    "LC_ALL",
    "LC_COLLATE",
    "LC_CTYPE",
    "LC_MESSAGES",
    "LC_NUMERIC",
    "LC_TIME",
    "LINES",
    "NO_COLOR",
    "PROPTEST_CASES",
    "PYTHONDONTWRITEBYTECODE",
    "PYTHONHASHSEED",
    "PYTHONUNBUFFERED",
    "PYTHONUTF8",
    "PY_COLORS",
    "QUICKCHECK_TESTS",
    "RUST_BACKTRACE",
    "RUST_LIB_BACKTRACE",
    "RUST_LOG",
    "RUST_TEST_NOCAPTURE",
    "RUST_TEST_THREADS",
    "SOURCE_DATE_EPOCH",
    "TZ",
];
