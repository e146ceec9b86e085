//! The rule that every error of the workspace keeps.

use std::error::Error;

/// Asserts that no message in an error's chain repeats the message of its source.
#[track_caller]
pub fn check_sources(error: &dyn Error) {
    let mut outer = error;
    while let Some(source) = outer.source() {
        let (outside, inside) = (outer.to_string(), source.to_string());
        assert!(!outside.contains(&inside), "{outside:?} repeats its source {inside:?}");
        outer = source;
    }
}
