//! A terminal program: it shows each prompt of its arguments and the answer, as lines, and asks
//! about calls at the terminal. All prompts belong to one conversation.

use std::env;
use std::error::Error;
use std::sync::{Arc, Mutex};

use silcrow_console::ConsoleOutput;
use silcrow_console::approve::{LineDesk, QuestionDesk, TerminalApprover};
use silcrow_console::options::ConsoleOptions;
use silcrow_console::screen::{Screen, lock};
use silcrow_event::RunEventRef;
use silcrow_session::{AgentSession, SessionHost, SessionOptions};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut options = SessionOptions::new(".");
    options.store = Some("memory".into());
    let host: Arc<dyn SessionHost> = Arc::new(|line: &str| eprintln!("notice: {line}"));
    let mut session = AgentSession::open(options, &host).await?;

    let notices = session.setup().notices();
    let screen = Screen::new(notices, ConsoleOutput::of_process(), &ConsoleOptions::new());
    let screen = Arc::new(Mutex::new(screen));
    let agent = session.agent(TerminalApprover::new(QuestionDesk::Lines(LineDesk::new(&screen))));
    for prompt in env::args().skip(1) {
        lock(&screen).show_line(&format!("> {prompt}"));
        let mut show = |event: RunEventRef<'_>| lock(&screen).show(event);
        session.ask(&agent, &prompt, &mut show).await?;
        lock(&screen).finish()?;
    }
    session.finish().await;
    Ok(())
}
