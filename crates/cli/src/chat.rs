//! `silcrow chat`, a session at the terminal.

use std::ffi::OsString;
use std::io::{self, IsTerminal as _};
use std::sync::Arc;

use clap::Parser as _;
use silcrow_console::live;
use silcrow_interactive::AskOptions;
use silcrow_interactive::chat::{ChatOptions, ChatTerminal, chat as chat_at};
use silcrow_session::RunTarget;

use crate::args::{Args, ChatArgs};
use crate::failure::Failure;
use crate::host::host;
use crate::runtime;

/// Opens a session. `run_command` runs another command of `silcrow`, which a line of it may be.
pub(crate) fn chat(
    args: &ChatArgs,
    options: AskOptions,
    run_command: fn(Args) -> Result<(), Failure>,
) -> Result<(), Failure> {
    if !live::is_possible() || !io::stdin().is_terminal() {
        return Err(Failure::given(
            "a session needs a terminal that can move its cursor; silcrow run answers one prompt",
        ));
    }
    let target = match &args.conversation {
        Some(id) => RunTarget::Existing(id.clone()),
        None if args.continue_last => RunTarget::Latest,
        None => RunTarget::Fresh,
    };
    let begins = ChatOptions {
        target,
        picks: args.resume,
        first: args.prompt.clone(),
        run_command: Some(Arc::new(move |words| run(words, run_command))),
        ..ChatOptions::default()
    };
    runtime::block_on(async {
        Ok(chat_at(options, begins, ChatTerminal::of_process(), &host()).await?)
    })
}

/// Runs another command, and returns why it failed.
fn run(words: Vec<OsString>, run_command: fn(Args) -> Result<(), Failure>) -> Result<(), String> {
    let words = std::iter::once("silcrow".into()).chain(words);
    let args = Args::try_parse_from(words).map_err(|error| {
        let shown = error.render().to_string();
        shown.trim_start_matches("error: ").trim().to_owned()
    })?;
    run_command(args).map_err(|failure| failure.message().to_owned())
}
