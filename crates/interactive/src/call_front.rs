//! One call that a person makes: shown as JSON lines, as lines, or on a live screen, and asked about there.

use std::fmt;
use std::io;
use std::sync::{Arc, Mutex};

use silcrow_agent::{Agent, RunOutcome};
use silcrow_console::ConsoleOutput;
use silcrow_console::approve::{LineDesk, QuestionDesk, TerminalApprover};
use silcrow_console::attend::{self, AttendedEnd, AttendedRuns};
use silcrow_console::live::{self, Keyboard, LiveQuestion, LiveScreen, LiveTerminal};
use silcrow_console::options::{Detail, DiffShown, ThemeName, Thoughts};
use silcrow_console::printer::Printer;
use silcrow_console::screen::{Screen, lock};
use silcrow_console::styles;
use silcrow_event::{CallResult, RunEventRef};
use silcrow_session::{AgentSession, OneCall};
use silcrow_tool::Scope;
use tokio::sync::mpsc::{self, Receiver};

use crate::approver::PersonRules;
use crate::attended::keyless;
use crate::console_options::plain_console;
use crate::error::Error;

/// The front of one call. It shows everything but the content of the result, which the program prints.
///
/// ```
/// use silcrow_interactive::CallFront;
///
/// // JSON lines; without them it is a live screen on a terminal, and lines elsewhere.
/// let front = CallFront::new(true, None);
/// # drop(front);
/// ```
pub struct CallFront {
    is_json: bool,
    theme: Option<ThemeName>,
    lines: Arc<Mutex<Screen>>,
    /// The terminal of a live screen, unless the call is shown in lines.
    live: Option<CallTerminal>,
}

/// A terminal for one call, and the questions that are asked there.
struct CallTerminal {
    terminal: LiveTerminal,
    keys: Box<dyn FnMut() -> io::Result<Keyboard> + Send>,
    desk: mpsc::Sender<LiveQuestion>,
    questions: Receiver<LiveQuestion>,
}

/// The end of a call.
#[derive(Debug)]
#[non_exhaustive]
pub struct CallFrontEnd {
    /// The end of the run that made the call.
    pub ended: Result<RunOutcome, silcrow_agent::Error>,
    /// The result of the call, if it has one.
    pub result: Option<CallResult>,
}

impl CallFront {
    /// Chooses the front: JSON lines, a live screen on a terminal that can have one, and lines otherwise.
    pub fn new(is_json: bool, theme: Option<ThemeName>) -> Self {
        if !is_json && live::is_possible() {
            return Self::on_screen(theme, LiveTerminal::of_process(), Keyboard::open);
        }
        Self { is_json, theme, lines: lines(), live: None }
    }

    /// Shows the call on a given terminal instead of this process's. `keys` opens its keyboard when
    /// the call begins.
    ///
    /// ```
    /// use silcrow_console::live::{Keyboard, LiveTerminal, TerminalSize};
    /// use silcrow_interactive::CallFront;
    ///
    /// let (_pressed, typed) = tokio::sync::mpsc::channel(8);
    /// let mut typed = Some(typed);
    /// let keys = move || Ok(Keyboard::of_channel(typed.take().unwrap()));
    /// let terminal = LiveTerminal::new(Vec::new(), || TerminalSize { columns: 80, rows: 24 });
    /// let front = CallFront::on_screen(None, terminal, keys);
    /// # drop(front);
    /// ```
    pub fn on_screen(
        theme: Option<ThemeName>,
        terminal: LiveTerminal,
        keys: impl FnMut() -> io::Result<Keyboard> + Send + 'static,
    ) -> Self {
        let (desk, questions) = mpsc::channel(1);
        let live = CallTerminal { terminal, keys: Box::new(keys), desk, questions };
        Self { is_json: false, theme, lines: lines(), live: Some(live) }
    }

    /// Returns the approver that asks the person about the call.
    pub fn approver(&self, session: &AgentSession) -> TerminalApprover {
        let desk = match &self.live {
            Some(live) => QuestionDesk::Live(live.desk.clone()),
            None => QuestionDesk::Lines(LineDesk::new(&self.lines)),
        };
        let rules = session.kept_rules().map(|rules| Arc::new(PersonRules::new(rules)) as _);
        TerminalApprover::new(desk).with_rule_keeper(rules)
    }

    /// Makes a call, and shows its events.
    ///
    /// # Errors
    ///
    /// Fails if the terminal is gone, or if something cannot be written. A closed pipe is not an
    /// error.
    pub async fn perform(
        self,
        call: &OneCall,
        agent: &Agent,
        scope: Scope,
    ) -> Result<CallFrontEnd, Error> {
        let mut result = None;
        let ended = match self.live {
            Some(live) => live.perform(self.theme, call, agent, scope, &mut result).await?,
            None => self.perform_in_lines(call, agent, scope, &mut result).await?,
        };
        Ok(CallFrontEnd { ended, result })
    }

    async fn perform_in_lines(
        self,
        call: &OneCall,
        agent: &Agent,
        scope: Scope,
        result: &mut Option<CallResult>,
    ) -> Result<Result<RunOutcome, silcrow_agent::Error>, Error> {
        let mut printer = self.is_json.then(|| Printer::to_stdout(false));
        let lines = &self.lines;
        let mut show = |output: RunEventRef<'_>| match (output, &mut printer) {
            (RunEventRef::Entry(_), Some(printer)) => printer.show(output),
            (RunEventRef::Entry(_), None) => lock(lines).show(output),
            _ => {}
        };
        let ended = call.perform(agent, scope, result, &mut show).await;
        match printer {
            Some(mut printer) => written(printer.finish())?,
            None => written(lock(lines).finish())?,
        }
        Ok(ended)
    }
}

impl CallTerminal {
    /// Makes a call on a live screen.
    async fn perform(
        self,
        theme: Option<ThemeName>,
        call: &OneCall,
        agent: &Agent,
        scope: Scope,
        result: &mut Option<CallResult>,
    ) -> Result<Result<RunOutcome, silcrow_agent::Error>, Error> {
        let mut options = plain_console();
        options.theme = styles::theme(theme);
        options.thoughts = Thoughts::Off;
        // The content of the result follows on standard output, with the difference.
        options.detail = Detail::Brief;
        options.diff = DiffShown::Off;
        let screen = LiveScreen::new(call.name(), self.terminal, &options);
        let screen = Arc::new(Mutex::new(screen));
        attend::lock(&screen).begin(call.name());
        let mut show = |output: RunEventRef<'_>| attend::lock(&screen).show(output);
        let cancel = scope.cancellation.clone();
        let mut runs = AttendedRuns::new(Arc::clone(&screen), self.questions).with_keys(self.keys);
        let run = call.perform(agent, scope, result, &mut show);
        let attended = runs.attend(run, &cancel, None).await;
        let AttendedEnd { ended, unsent, is_hung_up, .. } =
            attended.map_err(|error| keyless(&error))?;
        if is_hung_up {
            return Err(Error::hung_up());
        }
        let mut screen = attend::lock(&screen);
        let finished = screen.finish().map(drop);
        for text in unsent {
            screen.show_line(&format!("not sent, because no model reads it: {text}"));
        }
        screen.draw();
        written(finished)?;
        Ok(ended)
    }
}

impl fmt::Debug for CallFront {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallFront").field("is_json", &self.is_json).finish_non_exhaustive()
    }
}

/// Returns a screen of lines on the streams of this process.
fn lines() -> Arc<Mutex<Screen>> {
    let screen = Screen::new(Vec::new(), ConsoleOutput::of_process(), &plain_console());
    Arc::new(Mutex::new(screen))
}

/// Converts the outcome of writing. A closed pipe is not a failure.
fn written(result: io::Result<()>) -> Result<(), Error> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        Err(error) => Err(Error::failed(format!("cannot write the output: {error}"))),
        Ok(()) => Ok(()),
    }
}
