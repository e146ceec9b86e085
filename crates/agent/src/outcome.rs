//! The outcome of a run. It does not know errors.

/// The outcome of a run that did not fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "a run is answered or stopped")]
pub enum RunOutcome {
    /// The model has answered.
    Answered,
    /// The caller cancelled the run. The history is valid and records the cancellation.
    Interrupted,
}
