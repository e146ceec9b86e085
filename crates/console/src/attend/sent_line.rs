//! The kinds of lines that a person sends while a run works.

/// The treatment of a line that was sent while a run was at work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "a line is one of these")]
pub enum SentLine {
    /// It goes to the agent, between two steps.
    Message,
    /// It was a command, which is done.
    Done,
    /// It waits until the run is over.
    AfterRun,
    /// The run stops.
    Stop,
    /// The run goes on in another process.
    HandOver,
    /// The run stops, and the person leaves.
    Leave,
}
