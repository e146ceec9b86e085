//! The notices about answers that do not count (P-35).

/// Returns whether a notice to the model says that its answer does not count. The text of the turn to
/// which such a notice belongs is not the answer of the run.
///
/// ```
/// use silcrow_event::rejects_answer;
///
/// assert!(rejects_answer("[Your last answer held no text, so the person has nothing to read.]"));
/// assert!(!rejects_answer("[You have made the same calls three times in a row.]"));
/// ```
pub fn rejects_answer(notice: &str) -> bool {
    notice.starts_with(REJECTION)
}

/// The beginning of such a notice.
const REJECTION: &str = "[Your last answer ";
