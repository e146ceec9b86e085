//! A chat of a program of one's own, whose commands run in the sandbox: the program is also the helper that
//! confines them.
//!
//! ```console
//! $ cargo run -p silcrow-interactive --example own_chat -- anthropic:claude-sonnet-4-5
//! ```

#![expect(clippy::print_stderr, reason = "a person reads what it says")]

use std::env;
use std::sync::Arc;

use silcrow_interactive::chat::{ChatOptions, ChatTerminal, chat};
use silcrow_interactive::{AskOptions, Error};
use silcrow_session::{SessionHost, SessionOptions};

fn main() -> Result<(), Error> {
    // First of all, and before there is a runtime with threads.
    silcrow_sandbox::run_helper_if_asked();
    begin()
}

#[tokio::main(flavor = "current_thread")]
async fn begin() -> Result<(), Error> {
    let mut options = AskOptions::new(SessionOptions::new("."));
    options.session.model = Some(env::args().nth(1).unwrap_or_else(|| "rehearsal".to_owned()));
    let named = ChatOptions { name: "own-chat".to_owned(), ..ChatOptions::default() };
    let host: Arc<dyn SessionHost> = Arc::new(|line: &str| eprintln!("{line}"));
    chat(options, named, ChatTerminal::of_process(), &host).await
}
