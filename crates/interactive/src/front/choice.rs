//! The front of a run, and the streams or the terminal that show it.

use std::io;
use std::sync::{Arc, Mutex};

use silcrow_console::ConsoleOutput;
use silcrow_console::approve::LineDesk;
use silcrow_console::live::{self, Keyboard, LiveTerminal};
use silcrow_console::options::TextPieces;
use silcrow_console::printer::Printer;
use silcrow_console::screen::{self, Screen};
use silcrow_console::typed::TypedLines;
use silcrow_session::AgentSession;

use super::live_front::LiveFront;
use super::{RunFront, ShownRun};
use crate::console_options;
use crate::hook_lines::show_hooks;
use crate::options::AskOptions;

impl<'p> RunFront<'p> {
    /// Chooses the front: `printer` if there is one, a live screen on a terminal that can have one, and
    /// lines otherwise.
    pub fn new(
        options: &AskOptions,
        pieces: TextPieces,
        printer: Option<&'p mut Printer>,
        session: &AgentSession,
    ) -> Self {
        if printer.is_none() && live::is_possible() {
            return Self::on_screen(
                options,
                pieces,
                session,
                LiveTerminal::of_process(),
                Keyboard::open,
            );
        }
        let desk = line_desk(options, pieces, session, ConsoleOutput::of_process());
        let is_quiet = printer.is_some() || options.show.quiet;
        let shown = match printer {
            Some(printer) => ShownRun::Json(printer, desk),
            None => ShownRun::Lines(desk),
        };
        Self { shown, is_quiet }
    }

    /// Shows the run on a given terminal instead of this process's. `keys` opens its keyboard when
    /// the run begins.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// use std::sync::Arc;
    ///
    /// use silcrow_console::live::{Keyboard, LiveTerminal, TerminalSize};
    /// use silcrow_console::options::TextPieces;
    /// use silcrow_interactive::{AskOptions, RunFront};
    /// use silcrow_session::{AgentSession, SessionHost, SessionOptions};
    ///
    /// let mut options = AskOptions::new(SessionOptions::new("."));
    /// options.session.model = Some("rehearsal".to_owned());
    /// options.session.store = Some("memory".into());
    /// let host: Arc<dyn SessionHost> = Arc::new(|line: &str| eprintln!("{line}"));
    /// let session = AgentSession::open(options.session.clone(), &host).await?;
    /// let (_pressed, typed) = tokio::sync::mpsc::channel(8);
    /// let mut typed = Some(typed);
    /// let keys = move || Ok(Keyboard::of_channel(typed.take().unwrap()));
    /// let terminal = LiveTerminal::new(Vec::new(), || TerminalSize { columns: 80, rows: 24 });
    /// let front = RunFront::on_screen(&options, TextPieces::Token, &session, terminal, keys);
    /// assert!(front.shows_call_text(&options));
    /// # Ok::<_, silcrow_interactive::Error>(())
    /// # }).unwrap();
    /// ```
    pub fn on_screen(
        options: &AskOptions,
        pieces: TextPieces,
        session: &AgentSession,
        terminal: LiveTerminal,
        keys: impl FnMut() -> io::Result<Keyboard> + Send + 'static,
    ) -> Self {
        let live = LiveFront::new(options, pieces, session, terminal).with_keys(keys);
        Self { shown: ShownRun::Live(Box::new(live), Vec::new()), is_quiet: options.show.quiet }
    }

    /// Shows the run as lines on these streams, and reads the lines that answer its questions from
    /// `typed`. The answer is shown while it is written if it goes to a terminal or `options` ask for
    /// pieces, and otherwise once it is certain.
    pub fn in_lines(
        options: &AskOptions,
        pieces: TextPieces,
        session: &AgentSession,
        output: ConsoleOutput,
        typed: impl TypedLines + 'static,
    ) -> Self {
        let desk = line_desk(options, pieces, session, output).with_lines(typed);
        Self { shown: ShownRun::Lines(desk), is_quiet: options.show.quiet }
    }
}

/// Returns a screen of lines, at which the terminal of this process has the answers.
fn line_desk(
    options: &AskOptions,
    pieces: TextPieces,
    session: &AgentSession,
    output: ConsoleOutput,
) -> LineDesk {
    let tokens = pieces == TextPieces::Token;
    // A pipe or a file gets the answer once it is certain, unless the person asked for tokens.
    let streams_answer = options.stream.is_some() || output.is_answer_on_terminal();
    let console = console_options::lines(&options.show, tokens, tokens && streams_answer);
    let screen = Screen::new(session.setup().notices(), output, &console);
    let screen = Arc::new(Mutex::new(screen));
    if !options.show.quiet {
        let shown = Arc::clone(&screen);
        show_hooks(session, move |line| screen::lock(&shown).show_line(line));
    }
    LineDesk::new(&screen)
}
