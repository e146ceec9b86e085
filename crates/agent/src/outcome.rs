//! The outcome of a run. It does not know errors.

use crate::questions::ParkedQuestion;

/// The outcome of a run that did not fail.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "a run is answered, stopped, or waits")]
pub enum RunOutcome {
    /// The model has answered.
    Answered,
    /// The caller cancelled the run. The history is valid and records the cancellation.
    Interrupted,
    /// Nothing is left to do but to answer these questions, which the approver left open. They are
    /// stored, their calls have not started, and [`Agent::resume`](crate::Agent::resume) continues
    /// the run.
    Waiting(Vec<ParkedQuestion>),
}
