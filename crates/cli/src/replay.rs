//! `silcrow replay`, which runs the prompts of a conversation again.

use crate::args::ReplayArgs;
use crate::failure::Failure;
use crate::run::perform;
use crate::task::RunTask;

/// Runs the prompts of a conversation again, as a new conversation.
pub(crate) fn replay(args: &ReplayArgs) -> Result<(), Failure> {
    let task = RunTask::Replay { conversation: args.conversation.clone() };
    perform(&args.agent, args.named.as_deref(), || Ok(task))
}
