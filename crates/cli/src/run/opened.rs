//! The session and the conversation of a run, before its agent begins.

use std::env;
use std::process::Command;

use silcrow_interactive::{AskOptions, ClaimedRun, claim_conversation};
use silcrow_session::claim::ActiveRun;
use silcrow_session::{AfterRun, AgentSession, RunTarget, RunTask, SessionSetup, wait_for_others};
use silcrow_term::fit::shortened;

use crate::failure::Failure;
use crate::host::host;
use crate::places::StorePlace;
use crate::system::become_command;

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
        let claimed = claim_conversation(&session, conversation, task, options, &*host()).await?;
        let (conversation, task, active) = match claimed {
            ClaimedRun::Claimed { conversation, task, active } => (conversation, task, active),
            ClaimedRun::Follow { conversation } => {
                return Err(follow(session.place(), &conversation));
            }
        };
        if options.wait {
            wait_for_others(&*store, &conversation, &*host()).await?;
        }
        let retried = task.retried(&*store, &conversation).await?;
        let retried = retried.map(|prompt| format!("asking again: {}", shortened(&prompt, 60)));
        session.read_profile().await;
        // The prompts of a replay are not new words of the person.
        let after = session.after_run().filter(|_| task.replayed().is_none());
        Ok(Self { session, task, conversation, retried, active, after })
    }
}

/// Becomes the command that follows a conversation. This returns only if that cannot be started.
fn follow(place: &StorePlace, conversation: &str) -> Failure {
    let error = match env::current_exe() {
        Ok(program) => {
            let mut command = Command::new(program);
            command.args(["log", "show", conversation, "--follow", "--store"]);
            command.arg(place.word());
            become_command(command)
        }
        Err(error) => error,
    };
    Failure::running(format!("cannot follow the conversation: {error}"))
}
