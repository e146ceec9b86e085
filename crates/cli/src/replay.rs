//! `silcrow dev replay`, which runs the prompts of a conversation again.

use silcrow_interactive::AskOptions;
use silcrow_session::{RunTarget, RunTask};

use crate::args::ReplayArgs;
use crate::failure::Failure;
use crate::run::{WantedAnswer, perform};

/// Runs the prompts of a conversation again, as a new conversation.
pub(crate) fn replay(args: &ReplayArgs, options: &AskOptions) -> Result<(), Failure> {
    let task = RunTask::Replay { conversation: args.conversation.clone() };
    let target = args.named.clone().map_or(RunTarget::Fresh, RunTarget::New);
    perform(options, target, WantedAnswer::default(), |_| Ok(task))
}
