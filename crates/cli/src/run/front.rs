//! Where a run is shown, and where its person answers: JSON lines for programs, lines of text, or a
//! live screen.
//!
//! This module knows what differs between the three. It does not know how an agent is made.

use std::collections::BTreeSet;
use std::io::{self, IsTerminal as _, Write as _};
use std::sync::{Arc, Mutex};

use silcrow_agent::{Agent, Error, RunOutcome};
use silcrow_console::ConsoleOutput;
use silcrow_console::approve::{LineDesk, QuestionDesk, TerminalApprover};
use silcrow_console::attend::{self, AttendedEnd, AttendedRuns};
use silcrow_console::live::{self, LiveQuestion, LiveScreen, LiveTerminal, ShownWalls};
use silcrow_console::options::TextPieces;
use silcrow_console::printer::Printer;
use silcrow_console::screen::{Screen, lock};
use silcrow_event::RunEventRef;
use silcrow_mcp::Elicitor;
use silcrow_sanitize::sanitize_line;
use silcrow_session::{AgentSession, RunTask};
use silcrow_tool::Scope;
use tokio::sync::mpsc;

use super::record::RunRecord;
use crate::approver::{PersonRules, WatchedMode};
use crate::attended::attend;
use crate::console_options;
use crate::failure::Failure;
use crate::mcp::PersonElicitor;
use crate::model;
use crate::options::AskOptions;

/// The front of one run.
pub(super) struct RunFront<'p> {
    shown: ShownRun<'p>,
    /// Whether only the answer, questions and errors are shown.
    is_quiet: bool,
}

/// The way in which the run is shown.
enum ShownRun<'p> {
    /// As JSON lines. The screen asks questions.
    Json(&'p mut Printer, Arc<Mutex<Screen>>),
    /// As lines of text.
    Lines(Arc<Mutex<Screen>>),
    /// On a live screen, with what the person typed for a run that was over.
    Live(Box<LiveFront>, Vec<String>),
}

struct LiveFront {
    screen: Arc<Mutex<LiveScreen>>,
    runs: AttendedRuns,
    desk: mpsc::Sender<LiveQuestion>,
    label: String,
    /// The lines before the run.
    notices: Vec<String>,
}

/// The end of a run, as its front says it.
pub(super) struct FrontEnd<'a> {
    /// The line that says how to continue the conversation.
    pub(super) next: Option<String>,
    /// The conversation that was replayed.
    pub(super) replayed: Option<&'a str>,
    pub(super) conversation: &'a str,
}

impl<'p> RunFront<'p> {
    /// Chooses the front: `printer` if there is one, a live screen on a terminal that can have one, and
    /// lines otherwise.
    pub(super) fn new(
        options: &AskOptions,
        pieces: TextPieces,
        printer: Option<&'p mut Printer>,
        session: &AgentSession,
    ) -> Self {
        let show = &options.show;
        if printer.is_none() && live::is_possible() {
            let live = Box::new(LiveFront::new(options, pieces, session));
            return Self { shown: ShownRun::Live(live, Vec::new()), is_quiet: show.quiet };
        }
        let tokens = pieces == TextPieces::Token;
        // A pipe or a file gets the answer once it is certain, unless the person asked for tokens.
        let streams_answer = tokens && (options.stream.is_some() || io::stdout().is_terminal());
        let console = console_options::lines(show, tokens, streams_answer);
        let notices = session.setup().notices();
        let screen = Screen::new(notices, ConsoleOutput::of_process(), &console);
        let screen = Arc::new(Mutex::new(screen));
        let is_quiet = printer.is_some() || show.quiet;
        let shown = match printer {
            Some(printer) => ShownRun::Json(printer, screen),
            None => ShownRun::Lines(screen),
        };
        Self { shown, is_quiet }
    }

    /// Returns whether only the answer, questions and errors are shown.
    pub(super) const fn is_quiet(&self) -> bool {
        self.is_quiet
    }

    /// Returns whether the text of calls is shown while it is written.
    pub(super) const fn shows_call_text(&self, options: &AskOptions) -> bool {
        options.call_text || matches!(self.shown, ShownRun::Live(..))
    }

    /// Shows what is known before the run. `retried` says which prompt is asked again.
    pub(super) fn begin(&mut self, retried: Option<String>, replayed: Option<&str>) {
        match &mut self.shown {
            ShownRun::Live(front, _) => {
                let lines = std::mem::take(&mut front.notices).into_iter().chain(retried);
                let mut screen = attend::lock(&front.screen);
                lines.filter(|_| !self.is_quiet).for_each(|line| screen.show_line(&line));
            }
            ShownRun::Json(_, screen) => {
                if replayed.is_some() {
                    lock(screen).begin_replay();
                }
            }
            ShownRun::Lines(screen) => {
                let mut screen = lock(screen);
                retried.iter().for_each(|line| screen.show_line(line));
                if replayed.is_some() {
                    screen.begin_replay();
                }
            }
        }
    }

    /// Returns what asks the person about calls. In a replay everything is asked about, whatever the
    /// policy says, except what was allowed beforehand.
    pub(super) fn approver(
        &self,
        session: &AgentSession,
        options: &AskOptions,
        replayed: Option<&str>,
    ) -> TerminalApprover {
        let allowed = replayed.map_or_else(BTreeSet::new, |_| session.allowed().clone());
        let desk = match &self.shown {
            ShownRun::Json(_, screen) | ShownRun::Lines(screen) => {
                QuestionDesk::Lines(LineDesk::new(screen))
            }
            ShownRun::Live(front, _) => QuestionDesk::Live(front.desk.clone()),
        };
        let person = TerminalApprover::new(desk)
            .allowing(allowed)
            .in_mode(Arc::new(WatchedMode(session.mode().clone())))
            .with_unasked(options.on_question)
            .replaying(replayed.map(str::to_owned));
        match &self.shown {
            ShownRun::Live(..) => {
                let rules = session.kept_rules();
                person.keeping(rules.map(|rules| Arc::new(PersonRules(rules)) as _))
            }
            _ => person,
        }
    }

    /// Returns what asks the person the questions of servers.
    pub(super) fn elicitor(&self) -> Option<Arc<dyn Elicitor>> {
        match &self.shown {
            ShownRun::Json(_, screen) | ShownRun::Lines(screen) => PersonElicitor::lines(screen),
            ShownRun::Live(front, _) => PersonElicitor::live(&front.desk),
        }
    }

    /// Shows what waits to be shown with the first event, because servers take a while.
    pub(super) fn show_beginning(&self) {
        match &self.shown {
            ShownRun::Live(front, _) => attend::lock(&front.screen).draw(),
            ShownRun::Lines(screen) if !self.is_quiet => lock(screen).show_notices(),
            _ => {}
        }
    }

    /// Shows a line about a server that is not there, also if it is quiet.
    pub(super) fn show_missing(&self, line: &str) {
        match &self.shown {
            ShownRun::Live(front, _) => attend::lock(&front.screen).show_line(line),
            ShownRun::Lines(screen) if !self.is_quiet => lock(screen).show_line(line),
            // If stderr is closed, the line is lost.
            _ => drop(writeln!(io::stderr(), "{}", sanitize_line(line))),
        }
    }

    /// Shows a line, unless it is quiet.
    pub(super) fn show_line(&self, line: &str) {
        match &self.shown {
            _ if self.is_quiet => {}
            ShownRun::Json(_, screen) | ShownRun::Lines(screen) => lock(screen).show_line(line),
            ShownRun::Live(front, _) => attend::lock(&front.screen).show_line(line),
        }
    }

    /// Performs a task, and shows its events. The outer error is that of a front that is gone.
    pub(super) async fn perform(
        &mut self,
        task: &RunTask,
        agent: &Agent,
        scope: Scope,
        record: &mut RunRecord,
    ) -> Result<Result<RunOutcome, Error>, Failure> {
        let mut show: Box<dyn FnMut(RunEventRef<'_>) + Send> = match &mut self.shown {
            ShownRun::Json(printer, _) => Box::new(|event| {
                record.show(event);
                printer.show(event);
            }),
            ShownRun::Lines(screen) => Box::new(|event| {
                record.show(event);
                lock(screen).show(event);
            }),
            ShownRun::Live(front, left) => {
                attend::lock(&front.screen).begin(&front.label);
                let mut observe = |event: RunEventRef<'_>| record.show(event);
                let end = attend(task, &mut front.runs, agent, scope, &mut observe).await?;
                let AttendedEnd { ended, unsent, is_hung_up, .. } = end;
                *left = unsent.into_iter().collect();
                return if is_hung_up { Err(Failure::hung_up()) } else { Ok(ended) };
            }
        };
        Ok(task.perform(agent, scope, &mut *show).await)
    }

    /// Shows the end of the run, and returns whether everything could be written.
    pub(super) fn finish(&mut self, end: FrontEnd<'_>) -> io::Result<()> {
        let FrontEnd { next, replayed, conversation } = end;
        let next = next.filter(|_| !self.is_quiet);
        match &mut self.shown {
            ShownRun::Json(printer, _) => printer.finish(),
            ShownRun::Lines(screen) => {
                let mut screen = lock(screen);
                let written = screen.finish();
                next.iter().for_each(|line| screen.show_line(line));
                if let Some(replayed) = replayed.filter(|_| !self.is_quiet) {
                    screen.end_replay(&format!("{replayed} {conversation}"));
                }
                written
            }
            ShownRun::Live(front, left) => {
                let mut screen = attend::lock(&front.screen);
                let written = screen.finish().map(drop);
                for text in std::mem::take(left) {
                    screen.show_line(&format!("not sent, because the run was over: {text}"));
                }
                next.iter().for_each(|line| screen.show_line(line));
                screen.draw();
                written
            }
        }
    }
}

impl LiveFront {
    fn new(options: &AskOptions, pieces: TextPieces, session: &AgentSession) -> Self {
        let label = model::label(session.setup().model()).to_owned();
        let console = console_options::live(&options.show, pieces, session.price());
        let mut screen = LiveScreen::new(&label, LiveTerminal::of_process(), &console);
        screen.set_walls(walls(session));
        let screen = Arc::new(Mutex::new(screen));
        let (desk, questions) = mpsc::channel(MOST_QUESTIONS);
        let runs =
            AttendedRuns::new(Arc::clone(&screen), questions).with_mode_key(session.mode().key());
        Self { screen, runs, desk, label, notices: session.setup().notices() }
    }
}

/// Returns what the line of status says about the permissions of a session.
pub(crate) fn walls(session: &AgentSession) -> ShownWalls {
    ShownWalls { mode: session.mode().mode(), is_sandbox_off: session.is_sandbox_off() }
}

/// The number of questions that may wait for the screen.
const MOST_QUESTIONS: usize = 16;
