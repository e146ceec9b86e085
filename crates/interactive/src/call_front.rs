//! One call that a person makes: shown as JSON lines, as lines, or on a live screen, and asked about there.

use std::fmt;
use std::io;
use std::sync::{Arc, Mutex};

use silcrow_agent::{Agent, RunOutcome};
use silcrow_console::ConsoleOutput;
use silcrow_console::approve::{LineDesk, QuestionDesk, TerminalApprover};
use silcrow_console::attend::{self, AttendedEnd, AttendedRuns};
use silcrow_console::live::{self, LiveQuestion, LiveScreen, LiveTerminal};
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
    desk: Option<mpsc::Sender<LiveQuestion>>,
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
        let (desk, questions) = mpsc::channel(1);
        let is_live = !is_json && live::is_possible();
        let console = plain_console();
        let lines = Screen::new(Vec::new(), ConsoleOutput::of_process(), &console);
        let lines = Arc::new(Mutex::new(lines));
        Self { is_json, theme, lines, desk: is_live.then_some(desk), questions }
    }

    /// Returns what asks the person about the call.
    pub fn approver(&self, session: &AgentSession) -> TerminalApprover {
        let desk = match &self.desk {
            Some(desk) => QuestionDesk::Live(desk.clone()),
            None => QuestionDesk::Lines(LineDesk::new(&self.lines)),
        };
        let rules = session.kept_rules().map(|rules| Arc::new(PersonRules::new(rules)) as _);
        TerminalApprover::new(desk).keeping(rules)
    }

    /// Makes a call, and shows its events.
    ///
    /// # Errors
    ///
    /// Fails if the terminal is gone, or if something cannot be written. A closed pipe is no error.
    pub async fn perform(
        self,
        call: &OneCall,
        agent: &Agent,
        scope: Scope,
    ) -> Result<CallFrontEnd, Error> {
        let mut result = None;
        let ended = match self.desk {
            Some(_) => self.perform_live(call, agent, scope, &mut result).await?,
            None => self.perform_in_lines(call, agent, scope, &mut result).await?,
        };
        Ok(CallFrontEnd { ended, result })
    }

    async fn perform_live(
        self,
        call: &OneCall,
        agent: &Agent,
        scope: Scope,
        result: &mut Option<CallResult>,
    ) -> Result<Result<RunOutcome, silcrow_agent::Error>, Error> {
        let mut options = plain_console();
        options.theme = styles::theme(self.theme);
        options.thoughts = Thoughts::Off;
        // The content of the result follows on standard output, with the difference.
        options.detail = Detail::Brief;
        options.diff = DiffShown::Off;
        let screen = LiveScreen::new(call.name(), LiveTerminal::of_process(), &options);
        let screen = Arc::new(Mutex::new(screen));
        attend::lock(&screen).begin(call.name());
        let mut show = |output: RunEventRef<'_>| attend::lock(&screen).show(output);
        let cancel = scope.cancellation.clone();
        let mut runs = AttendedRuns::new(Arc::clone(&screen), self.questions);
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

impl fmt::Debug for CallFront {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallFront").field("is_json", &self.is_json).finish_non_exhaustive()
    }
}

/// Converts the outcome of writing. A closed pipe is not a failure.
fn written(result: io::Result<()>) -> Result<(), Error> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        Err(error) => Err(Error::failed(format!("cannot write the output: {error}"))),
        Ok(()) => Ok(()),
    }
}
