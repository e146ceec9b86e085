//! The outcome of a run that did not fail.

use crate::questions::ParkedQuestion;

/// The outcome of a run that did not fail.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// use silcrow_agent::{Agent, RunOutcome};
/// # use silcrow_provider::ScriptedModel;
/// # use silcrow_store::MemoryStore;
///
/// let model = ScriptedModel::parse("§respond: It is 4.\n§end", 1);
/// let agent = Agent::new(model, MemoryStore::new());
/// match agent.run("sums", "What is 2 + 2?", &mut |_| {}).await.unwrap() {
///     RunOutcome::Answered => {}
///     RunOutcome::Interrupted => panic!("nobody cancelled it"),
///     RunOutcome::Waiting(questions) => panic!("{} questions are open", questions.len()),
/// }
/// # });
/// ```
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
