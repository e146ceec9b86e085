//! The exit code for the findings of a review.

use serde_json::Value;

use crate::failure::Failure;

/// Returns a failure if a finding has this priority, from 0 to 3, or a higher one.
pub(super) fn failing(answer: &str, priority: u64) -> Result<(), Failure> {
    let review: Value = serde_json::from_str(answer).unwrap_or_default();
    let findings = review["findings"].as_array().map_or(&[][..], Vec::as_slice);
    let worst =
        |finding: &&Value| finding["priority"].as_u64().is_some_and(|found| found <= priority);
    match findings.iter().filter(worst).count() {
        0 => Ok(()),
        1 => Err(Failure::running("the review has 1 finding that matters")),
        count => Err(Failure::running(format!("the review has {count} findings that matter"))),
    }
}
