//! The commands of `silcrow runs`, about runs that are at work or wait, in any process.

use super::{AnswerArgs, BudgetOrderArgs, StopArgs, WorkerArgs};

/// The subcommands of `silcrow runs`.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum RunsCommand {
    /// Show the questions for which a run waits, and answer them
    Answer(AnswerArgs),
    /// Stop the run at work in a conversation, in whatever process it is
    Stop(StopArgs),
    /// Change what the run at work in a conversation may spend
    Budget(BudgetOrderArgs),
    /// Continue runs that wait in a store, because they have answers, or were left or lost by their process
    Worker(Box<WorkerArgs>),
}
