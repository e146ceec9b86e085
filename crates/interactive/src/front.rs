//! The place where a run is shown and its person answers: JSON lines for programs, lines of text,
//! or a live screen.
//!
//! This module has the differences between the three.

mod choice;
mod live_front;

use std::collections::BTreeSet;
use std::fmt;
use std::io::{self, Write as _};
use std::sync::Arc;

use silcrow_agent::{Agent, RunOutcome};
use silcrow_console::approve::{LineDesk, QuestionDesk, TerminalApprover};
use silcrow_console::attend::{self, AttendedEnd};
use silcrow_console::live::ShownWalls;
use silcrow_console::printer::Printer;
use silcrow_console::screen::lock;
use silcrow_event::RunEventRef;
use silcrow_mcp::Elicitor;
use silcrow_sanitize::sanitize_line;
use silcrow_session::{AgentSession, RunTask};
use silcrow_tool::Scope;

use crate::approver::{PersonRules, WatchedMode};
use crate::attended::attend;
use crate::elicitor::PersonElicitor;
use crate::error::Error;
use crate::options::AskOptions;
use live_front::LiveFront;

/// The front of one run.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// use std::io::Read as _;
/// use std::sync::Arc;
///
/// use silcrow_console::options::TextPieces;
/// use silcrow_console::printer::Printer;
/// use silcrow_interactive::{AskOptions, FrontEnd, RunFront};
/// use silcrow_session::prompt::expand;
/// use silcrow_session::{AgentSession, RunTask, SessionHost, SessionOptions};
/// use silcrow_tool::Scope;
///
/// # let folder = std::env::temp_dir().join(format!("silcrow-front-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder).unwrap();
/// # let root = folder.clone();
/// let mut options = AskOptions::new(SessionOptions::new(root));
/// options.session.model = Some("rehearsal".to_owned());
/// options.session.store = Some("memory".into());
/// let host: Arc<dyn SessionHost> = Arc::new(|line: &str| eprintln!("{line}"));
/// let session = AgentSession::open(options.session.clone(), &host).await?;
///
/// // A program without a printer has lines, or a live screen on a terminal.
/// let (mut read, written) = std::io::pipe().unwrap();
/// let mut printer = Printer::new(written, false);
/// let mut front = RunFront::new(&options, TextPieces::Event, Some(&mut printer), &session);
/// let agent = session.agent(front.approver(&session, &options, None));
/// let prompt = expand("What is here?", &options.session.root, &options.session.servers)?;
/// let task = RunTask::answer(prompt, None);
/// front.begin(None, task.replayed());
/// let scope = Scope::new(session.conversation());
/// front.perform(&task, &agent, scope, &mut |_| {}).await?.unwrap();
/// let end = FrontEnd { next: None, replayed: None, conversation: session.conversation() };
/// front.finish(end).unwrap();
/// drop(front);
/// drop(printer);
/// let mut lines = String::new();
/// read.read_to_string(&mut lines).unwrap();
/// assert!(lines.contains("\"type\":\"respond\""), "{lines}");
/// # std::fs::remove_dir_all(&folder).unwrap();
/// # Ok::<_, silcrow_interactive::Error>(())
/// # }).unwrap();
/// ```
pub struct RunFront<'p> {
    shown: ShownRun<'p>,
    /// Whether only the answer, questions and errors are shown.
    is_quiet: bool,
}

/// The way in which the run is shown.
enum ShownRun<'p> {
    /// As JSON lines. The desk asks questions.
    Json(&'p mut Printer, LineDesk),
    /// As lines of text.
    Lines(LineDesk),
    /// On a live screen, with lines that the person typed for a run that was over.
    Live(Box<LiveFront>, Vec<String>),
}

/// The end of a run, as its front says it.
#[derive(Debug)]
#[expect(clippy::exhaustive_structs, reason = "callers decide about all of them")]
pub struct FrontEnd<'a> {
    /// The line that says how to continue the conversation.
    pub next: Option<String>,
    /// The conversation that was replayed.
    pub replayed: Option<&'a str>,
    /// The conversation of the run.
    pub conversation: &'a str,
}

impl<'p> RunFront<'p> {
    /// Returns whether only the answer, questions and errors are shown.
    pub const fn is_quiet(&self) -> bool {
        self.is_quiet
    }

    /// Returns whether the text of calls is shown while it is written.
    pub const fn shows_call_text(&self, options: &AskOptions) -> bool {
        options.call_text || matches!(self.shown, ShownRun::Live(..))
    }

    /// Shows the facts that are known before the run. `retried` says which prompt is asked again.
    pub fn begin(&mut self, retried: Option<String>, replayed: Option<&str>) {
        match &mut self.shown {
            ShownRun::Live(front, _) => {
                let lines = std::mem::take(&mut front.notices).into_iter().chain(retried);
                let mut screen = attend::lock(&front.screen);
                lines.filter(|_| !self.is_quiet).for_each(|line| screen.show_line(&line));
            }
            ShownRun::Json(_, desk) => {
                if replayed.is_some() {
                    lock(desk.screen()).begin_replay();
                }
            }
            ShownRun::Lines(desk) => {
                let mut screen = lock(desk.screen());
                retried.iter().for_each(|line| screen.show_line(line));
                if replayed.is_some() {
                    screen.begin_replay();
                }
            }
        }
    }

    /// Returns the approver that asks the person about calls. In a replay it asks about every call,
    /// regardless of the policy, except calls that were allowed beforehand.
    pub fn approver(
        &self,
        session: &AgentSession,
        options: &AskOptions,
        replayed: Option<&str>,
    ) -> TerminalApprover {
        let allowed = replayed.map_or_else(BTreeSet::new, |_| session.allowed().clone());
        let desk = match &self.shown {
            ShownRun::Json(_, desk) | ShownRun::Lines(desk) => QuestionDesk::Lines(desk.clone()),
            ShownRun::Live(front, _) => QuestionDesk::Live(front.desk.clone()),
        };
        let person = TerminalApprover::new(desk)
            .with_allowed_tools(allowed)
            .with_mode_watch(Arc::new(WatchedMode::new(session.mode())))
            .with_unasked(options.on_question)
            .with_replayed(replayed.map(str::to_owned));
        match &self.shown {
            ShownRun::Live(..) => {
                let rules = session.kept_rules();
                person.with_rule_keeper(rules.map(|rules| Arc::new(PersonRules::new(rules)) as _))
            }
            _ => person,
        }
    }

    /// Returns the elicitor that asks the person the questions of servers.
    pub fn elicitor(&self) -> Option<Arc<dyn Elicitor>> {
        match &self.shown {
            ShownRun::Json(_, desk) | ShownRun::Lines(desk) => PersonElicitor::lines(desk),
            ShownRun::Live(front, _) => PersonElicitor::live(&front.desk),
        }
    }

    /// Shows the lines that wait for the first event, because servers take a while.
    pub fn show_beginning(&self) {
        match &self.shown {
            ShownRun::Live(front, _) => attend::lock(&front.screen).draw(),
            ShownRun::Lines(desk) if !self.is_quiet => lock(desk.screen()).show_notices(),
            _ => {}
        }
    }

    /// Shows a line about a server that is not there, also if it is quiet.
    pub fn show_missing(&self, line: &str) {
        match &self.shown {
            ShownRun::Live(front, _) => attend::lock(&front.screen).show_line(line),
            ShownRun::Lines(desk) if !self.is_quiet => lock(desk.screen()).show_line(line),
            // If stderr is closed, the line is lost.
            _ => drop(writeln!(io::stderr(), "{}", sanitize_line(line))),
        }
    }

    /// Shows a line, unless it is quiet.
    pub fn show_line(&self, line: &str) {
        match &self.shown {
            _ if self.is_quiet => {}
            ShownRun::Json(_, desk) | ShownRun::Lines(desk) => lock(desk.screen()).show_line(line),
            ShownRun::Live(front, _) => attend::lock(&front.screen).show_line(line),
        }
    }

    /// Performs a task, and shows its events. `observe` gets each of them before it is shown.
    ///
    /// # Errors
    ///
    /// Fails if the terminal is gone. The inner result has the end of the run itself.
    pub async fn perform(
        &mut self,
        task: &RunTask,
        agent: &Agent,
        scope: Scope,
        observe: &mut (dyn FnMut(RunEventRef<'_>) + Send),
    ) -> Result<Result<RunOutcome, silcrow_agent::Error>, Error> {
        let mut show: Box<dyn FnMut(RunEventRef<'_>) + Send> = match &mut self.shown {
            ShownRun::Json(printer, _) => Box::new(|event| {
                observe(event);
                printer.show(event);
            }),
            ShownRun::Lines(desk) => Box::new(|event| {
                observe(event);
                lock(desk.screen()).show(event);
            }),
            ShownRun::Live(front, left) => {
                attend::lock(&front.screen).begin(&front.label);
                let end = attend(task, &mut front.runs, agent, scope, observe).await?;
                let AttendedEnd { ended, unsent, queued, is_hung_up, .. } = end;
                *left = unsent.into_iter().chain(queued).collect();
                return if is_hung_up { Err(Error::hung_up()) } else { Ok(ended) };
            }
        };
        Ok(task.perform(agent, scope, &mut *show).await)
    }

    /// Shows the end of the run.
    ///
    /// # Errors
    ///
    /// Fails if something could not be written.
    pub fn finish(&mut self, end: FrontEnd<'_>) -> io::Result<()> {
        let FrontEnd { next, replayed, conversation } = end;
        let next = next.filter(|_| !self.is_quiet);
        match &mut self.shown {
            ShownRun::Json(printer, _) => printer.finish(),
            ShownRun::Lines(desk) => {
                let mut screen = lock(desk.screen());
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

impl fmt::Debug for RunFront<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunFront").field("is_quiet", &self.is_quiet).finish_non_exhaustive()
    }
}

/// Returns the permissions of a session for the line of status.
pub(crate) fn walls(session: &AgentSession) -> ShownWalls {
    ShownWalls { mode: session.mode().mode(), is_sandbox_off: session.is_sandbox_off() }
}
