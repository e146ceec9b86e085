//! The length of files.

/// Returns a hint about a file that is too long for a reader to keep in mind.
pub(crate) fn hint(file: &str, text: &str) -> Option<String> {
    let lines = text.lines().count();
    (lines > MOST).then(|| {
        format!("{file} has {lines} lines; above {MOST} a file usually has more than one idea")
    })
}

/// The most lines of a file, tests included.
const MOST: usize = 350;
