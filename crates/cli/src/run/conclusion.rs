//! The end of a run, as the exit code and the last line of its process.

use std::io;

use silcrow_agent::{Error, RunOutcome};
use silcrow_console::interrupt::Interruption;

use crate::answer;
use crate::damage;
use crate::failure::{self, Failure};
use crate::places::OpenStore;

/// Returns how a run ended, for the process that ends with it.
pub(super) async fn conclude(
    ended: Result<RunOutcome, Error>,
    written: io::Result<()>,
    model: &str,
    conversation: &str,
    opened: &OpenStore,
    interruption: &Interruption,
) -> Result<(), Failure> {
    match ended {
        Ok(RunOutcome::Answered) => {
            failure::written(written)?;
            damage::found(&opened.known_damage().await?)
        }
        Ok(RunOutcome::Interrupted) => Err(Failure::interrupted(interruption.signal())),
        Ok(RunOutcome::Waiting(questions)) => {
            failure::written(written)?;
            Err(answer::waiting(conversation, &questions))
        }
        Err(error) => Err(failed(model, error)),
    }
}

fn failed(model: &str, error: Error) -> Failure {
    let hint = silcrow_session::hint(model, &error);
    Failure::from(silcrow_session::Error::from(error)).with_way_on(hint)
}
