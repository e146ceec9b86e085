//! One run, and one call by hand, on an emulated terminal.

use std::io::{self, PipeReader};
use std::ops::{Deref, DerefMut};
use std::sync::{Mutex, mpsc as blocking};

use silcrow_agent::RunOutcome;
use silcrow_console::ConsoleOutput;
use silcrow_console::options::TextPieces;
use silcrow_console::typed::TypedLines;
use silcrow_event::CallResult;
use silcrow_interactive::{AskOptions, CallFront, Error, FrontEnd, RunFront};
use silcrow_session::prompt::expand;
use silcrow_session::{AgentSession, OneCall, RunTask};
use silcrow_tool::Scope;
use tokio::runtime::Handle;
use tokio::task::{JoinHandle, spawn_blocking};
use tokio::time::timeout;

use crate::emulator::{EmulatedTerminal, LONG};
use crate::support::host;

/// A window in which a person watches one run or one call.
pub(crate) struct RunWindow<T = RunOutcome> {
    terminal: EmulatedTerminal,
    run: JoinHandle<Result<T, Error>>,
}

impl RunWindow {
    /// Runs the agent on a prompt, on a live screen of this many columns.
    pub(crate) fn open(options: AskOptions, columns: u16) -> Self {
        let terminal = EmulatedTerminal::new(columns, 60);
        Self::open_on(options, terminal, |terminal| terminal)
    }

    /// Runs the agent on a live screen that has only signs of ASCII.
    pub(crate) fn open_ascii(options: AskOptions, columns: u16) -> Self {
        let terminal = EmulatedTerminal::new(columns, 60);
        Self::open_on(options, terminal, silcrow_console::live::LiveTerminal::without_unicode)
    }

    fn open_on(
        options: AskOptions,
        terminal: EmulatedTerminal,
        changed: impl FnOnce(silcrow_console::live::LiveTerminal) -> silcrow_console::live::LiveTerminal,
    ) -> Self {
        let (live, keys) = (changed(terminal.live()), terminal.keys());
        let runtime = Handle::current();
        let run = spawn_blocking(move || {
            runtime.block_on(async {
                let session = AgentSession::open(options.session.clone(), &host()).await?;
                let front = RunFront::on_screen(&options, TextPieces::Token, &session, live, keys);
                perform(front, &options, session).await
            })
        });
        Self { terminal, run }
    }

    /// Runs the agent at a terminal of lines, and gives these answers to its questions: each is
    /// typed when its question is asked. Returns the shown text, and how the run ended.
    pub(crate) async fn lines(
        options: AskOptions,
        answers: &'static [&'static str],
    ) -> (String, Result<RunOutcome, Error>) {
        let terminal = EmulatedTerminal::new(100, 60);
        let shown = terminal.emulator.clone();
        let output = ConsoleOutput::new(shown.clone(), shown).on_one_terminal();
        let (sender, typed) = blocking::channel();
        answers.iter().for_each(|answer| sender.send(*answer).unwrap());
        drop(sender);
        let runtime = Handle::current();
        let run = spawn_blocking(move || {
            runtime.block_on(async {
                let session = AgentSession::open(options.session.clone(), &host()).await?;
                let typed = GivenLines(Mutex::new(typed));
                let front =
                    RunFront::in_lines(&options, TextPieces::Token, &session, output, typed);
                perform(front, &options, session).await
            })
        });
        Self { terminal, run }.end().await
    }
}

impl RunWindow<Option<CallResult>> {
    /// Makes one call by hand, on a live screen of 80 columns.
    pub(crate) fn call(options: AskOptions, tool: &str, args: &str) -> Self {
        let terminal = EmulatedTerminal::new(80, 60);
        let (live, keys) = (terminal.live(), terminal.keys());
        let call = OneCall::parse(tool, args).unwrap();
        let runtime = Handle::current();
        let run = spawn_blocking(move || {
            runtime.block_on(async {
                let options = OneCall::options(options.session);
                let mut session = AgentSession::open(options, &host()).await?;
                let tool = call.find(&mut session).await?;
                let front = CallFront::on_screen(None, live, keys);
                let agent = call.agent(&session, tool, front.approver(&session))?;
                let scope = Scope::new(session.conversation());
                let end = front.perform(&call, &agent, scope).await?;
                session.finish().await;
                Ok(end.result)
            })
        });
        Self { terminal, run }
    }
}

impl<T> RunWindow<T> {
    /// Waits until the run has ended, and returns the shown text, and how it ended.
    pub(crate) async fn end(self) -> (String, Result<T, Error>) {
        let Self { terminal, run } = self;
        let ended = timeout(LONG, run).await;
        let shown = terminal.shown();
        let ended = ended.unwrap_or_else(|_| panic!("the run does not end:\n{shown}")).unwrap();
        (shown, ended)
    }
}

impl<T> Deref for RunWindow<T> {
    type Target = EmulatedTerminal;

    fn deref(&self) -> &EmulatedTerminal {
        &self.terminal
    }
}

impl<T> DerefMut for RunWindow<T> {
    fn deref_mut(&mut self) -> &mut EmulatedTerminal {
        &mut self.terminal
    }
}

/// Runs the agent of a session on a prompt, and shows it.
async fn perform(
    mut front: RunFront<'_>,
    options: &AskOptions,
    session: AgentSession,
) -> Result<RunOutcome, Error> {
    front.begin(None, None);
    let agent = session.agent(front.approver(&session, options, None)).with_call_text();
    let prompt = expand("go", &options.session.root, &options.session.servers)?;
    let scope = Scope::new(session.conversation());
    let task = RunTask::answer(prompt, None);
    let ended = front.perform(&task, &agent, scope, &mut |_| {}).await?;
    let end = FrontEnd { next: None, replayed: None, conversation: session.conversation() };
    front.finish(end).unwrap();
    session.finish().await;
    Ok(ended.unwrap())
}

/// Lines that are there when a question is asked.
struct GivenLines(Mutex<blocking::Receiver<&'static str>>);

impl TypedLines for GivenLines {
    fn can_ask(&self) -> bool {
        true
    }

    fn forget(&self) -> io::Result<()> {
        Ok(())
    }

    fn line(&self, _: &PipeReader) -> io::Result<Option<String>> {
        Ok(self.0.lock().unwrap().recv().ok().map(str::to_owned))
    }
}
