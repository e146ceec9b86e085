//! The messages of the commands that serve agents in a program that was built without them.

use silcrow_interactive::AskOptions;

use crate::args::{ServeArgs, WorkerArgs};
use crate::failure::Failure;

/// Serves nothing.
pub(crate) fn serve(_: ServeArgs, _: AskOptions) -> Result<(), Failure> {
    Err(absent("silcrow serve"))
}

/// Continues nothing.
pub(crate) fn work(_: WorkerArgs, _: AskOptions) -> Result<(), Failure> {
    Err(absent("silcrow runs worker"))
}

/// Returns the failure of a command that is not there.
pub(crate) fn absent(command: &str) -> Failure {
    Failure::given(format!(
        "{command} is not in this program, which was built without servers; build it with the feature \
         `serve`: cargo install silcrow-cli --features serve"
    ))
}
