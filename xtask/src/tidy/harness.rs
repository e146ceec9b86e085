//! The rule that a library is built a second time for its unit tests only if it has some.
//!
//! cargo builds a test harness of every library, which takes as long as the library itself, unless its
//! manifest says `test = false`. With that, unit tests would be left out in silence.

use super::{Finding, Package};

/// Checks the test settings in the manifest of a library.
pub(super) fn check(package: &Package, has_tests: bool, findings: &mut Vec<Finding>) {
    let what = match (package.is_tested, has_tests) {
        (true, false) => "the library has no unit tests; write `test = false` below `[lib]`",
        (false, true) => "the library has unit tests that never run; remove `test = false`",
        _ => return,
    };
    let file = package.manifest_path.clone();
    findings.push(Finding { file, line: 1, what: what.to_owned() });
}

/// Returns whether a source has unit tests.
pub(super) fn has_tests(source: &str) -> bool {
    source.lines().any(|line| line.trim_start().starts_with("#[cfg(test)]"))
}
