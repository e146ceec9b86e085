//! `silcrow run --steer`, which sends a prompt to the run that another process has.

use std::io::{self, Write as _};

use silcrow_interactive::{AskOptions, steer as steer_run};
use silcrow_sanitize::sanitize_line;
use silcrow_session::claim::ActiveRun;
use silcrow_session::{RunTarget, SessionSetup, other_holder};

use crate::failure::Failure;
use crate::host::host;
use crate::prompt::prompt;
use crate::runtime;

/// Sends the prompt to the run that another process has in a conversation.
pub(super) fn steer(
    typed: Option<&str>,
    target: &RunTarget,
    options: &AskOptions,
) -> Result<(), Failure> {
    let setup = SessionSetup::check(options.session.clone(), &host())?;
    let expanded = prompt(typed, &[], None, &options.session.root, &[])?;
    runtime::block_on(async {
        let session = setup.open().await?;
        let store = session.store();
        let id = session.resolve(target).await?;
        let Some(folder) = session.place().folder() else {
            return Err(Failure::given("a conversation in memory has one process only"));
        };
        let here = ActiveRun::find(folder, &id).map(|process| process.place());
        let place = match here {
            Some(place) => Some(place),
            None => other_holder(&*store, &id).await?,
        };
        let Some(place) = place else {
            let why = format!("no run is at work in `{id}`; send the prompt without --steer");
            return Err(Failure::given(why));
        };
        steer_run(&*store, &id, session.user(), expanded.content).await?;
        let line = format!("sent to {}; it is read between two steps", place);
        // If stderr is closed, the line is lost.
        let _ = writeln!(io::stderr(), "{}", sanitize_line(&line));
        Ok(())
    })
}
