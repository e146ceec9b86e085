//! The session and the conversation of a run, before its agent begins.

use silcrow_session::claim::ActiveRun;
use silcrow_session::{AfterRun, AgentSession, RunTarget, RunTask, SessionSetup, wait_for_others};
use silcrow_term::fit::shortened;

use crate::active_choice;
use crate::failure::Failure;
use crate::host::host;
use crate::options::AskOptions;

/// A run whose conversation is known, and that no other process works in.
pub(super) struct OpenedRun {
    pub(super) session: AgentSession,
    pub(super) task: RunTask,
    pub(super) conversation: String,
    /// The line that says which prompt is asked again.
    pub(super) retried: Option<String>,
    pub(super) active: Option<ActiveRun>,
    pub(super) after: Option<AfterRun>,
}

impl OpenedRun {
    pub(super) async fn open(
        setup: SessionSetup,
        task: RunTask,
        target: &RunTarget,
        options: &AskOptions,
    ) -> Result<Self, Failure> {
        let mut session = setup.open().await?;
        let store = session.store();
        let task = task.resolved(&*store).await?;
        let conversation = session.resolve(target).await?;
        let (conversation, task, active) =
            active_choice::claim(&session, conversation, task, options).await?;
        if options.wait {
            wait_for_others(&*store, &conversation, &*host()).await?;
        }
        let retried = task.retried(&*store, &conversation).await?;
        let retried = retried.map(|prompt| format!("asking again: {}", shortened(&prompt, 60)));
        session.read_profile().await;
        // The prompts of a replay are no new words of the person.
        let after = session.after_run().filter(|_| task.replayed().is_none());
        Ok(Self { session, task, conversation, retried, active, after })
    }
}
