//! The store and the conversation of a run, before its agent begins.

use std::sync::Arc;

use silcrow_store::Store;
use silcrow_term::fit::shortened;

use crate::active::ActiveRun;
use crate::active_choice;
use crate::after_run::AfterRun;
use crate::elsewhere;
use crate::failure::Failure;
use crate::options::AskOptions;
use crate::places::OpenStore;
use crate::run_target::RunTarget;
use crate::setup::AgentSetup;
use crate::task::RunTask;

/// A run whose conversation is known, and that no other process works in.
pub(super) struct OpenedRun {
    pub(super) opened: OpenStore,
    pub(super) store: Arc<dyn Store>,
    pub(super) task: RunTask,
    pub(super) conversation: String,
    /// The line that says which prompt is asked again.
    pub(super) retried: Option<String>,
    pub(super) active: Option<ActiveRun>,
    pub(super) after: Option<AfterRun>,
}

impl OpenedRun {
    pub(super) async fn open(
        setup: &mut AgentSetup,
        task: RunTask,
        target: &RunTarget,
        args: &AskOptions,
    ) -> Result<Self, Failure> {
        let opened = setup.open().await?;
        let store = opened.store();
        let task = task.resolved(&*store).await?;
        let conversation = target.resolve(&*store, setup.user.as_deref(), &args.root).await?;
        let (conversation, task, active) =
            active_choice::claim(setup, conversation, task, args).await?;
        if args.wait {
            elsewhere::wait(&*store, &conversation).await?;
        }
        let retried = task.retried(&*store, &conversation).await?;
        let retried = retried.map(|prompt| format!("asking again: {}", shortened(&prompt, 60)));
        setup.read_profile(&*store).await;
        // The prompts of a replay are no new words of the person.
        let after = setup.after_run(args, &store).filter(|_| task.replayed().is_none());
        Ok(Self { opened, store, task, conversation, retried, active, after })
    }
}
