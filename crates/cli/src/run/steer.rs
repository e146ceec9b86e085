//! `silcrow run --steer`, which sends a prompt to the run that another process has.

use std::io::{self, Write as _};

use silcrow_sanitize::sanitize_line;
use tokio::runtime::Builder;

use crate::active::ActiveRun;
use crate::active_choice;
use crate::args::RunArgs;
use crate::elsewhere;
use crate::failure::Failure;
use crate::options::AskOptions;
use crate::prompt::prompt;
use crate::run_target::RunTarget;
use crate::setup::AgentSetup;

/// Sends the prompt to the run that another process has in a conversation.
pub(super) fn steer(args: &RunArgs, options: &AskOptions) -> Result<(), Failure> {
    let setup = AgentSetup::new(options)?;
    let expanded = prompt(args.prompt.as_deref(), &[], &options.root, &[])?;
    let target = match &args.conversation {
        Some(id) => RunTarget::Existing(id.clone()),
        None => RunTarget::Latest,
    };
    let runtime = Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Failure::running(format!("cannot start: {error}")))?;
    runtime.block_on(async {
        let opened = setup.open().await?;
        let (store, user) = (opened.store(), setup.user.as_deref());
        let id = target.resolve(&*store, user, &options.root).await?;
        let Some(folder) = setup.place.folder() else {
            return Err(Failure::given("a conversation in memory has one process only"));
        };
        let here = ActiveRun::find(folder, &id).map(|process| process.place());
        let place = match here {
            Some(place) => Some(place),
            None => elsewhere::find(&*store, &id).await?,
        };
        let Some(place) = place else {
            let why = format!("no run is at work in `{id}`; send the prompt without --steer");
            return Err(Failure::given(why));
        };
        active_choice::steer(&*store, &id, user, expanded.content).await?;
        let line = format!("sent to {}; it is read between two steps", place);
        // If stderr is closed, the line is lost.
        let _ = writeln!(io::stderr(), "{}", sanitize_line(&line));
        Ok(())
    })
}
