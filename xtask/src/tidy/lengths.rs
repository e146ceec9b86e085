//! The length of files.

use super::Finding;

/// Reports a file that is too long for a reader to keep in mind.
pub(crate) fn check(file: &str, text: &str, findings: &mut Vec<Finding>) {
    let lines = text.lines().count();
    if lines > MOST {
        let what = format!(
            "the file has {lines} lines, and {MOST} are the most; move an idea of it into a file of \
             its own"
        );
        findings.push(Finding { file: file.to_owned(), line: MOST + 1, what });
    }
}

/// The most lines of a file, tests included.
const MOST: usize = 350;
