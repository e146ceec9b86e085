//! Shows a run as lines. In the state `open` the text of one section is being written; in the state
//! `asking`, a person is asked and all output is held back.
//!
//! In the state `open` the text of one section is being written. In the state `asking` a person is
//! asked, and all output is held back.
//!
//! Use this for pipes, files and terminals that cannot move their cursor, and [`live`](crate::live)
//! for all others.

mod answer;
mod asking;
mod changes;
mod collected;
mod delayed;
mod inner;
mod progress;
mod replay;
mod result_line;

use std::fmt;
use std::io::{self, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};

use silcrow_event::{
    Balances, CallChanges, CallResult, CallTransition, DiagnosticKind, Entry, Event,
    ResultStatus as Ended, RunEventRef, TextFragment, TextKind, Usage, rejects_answer,
};
use silcrow_sanitize::{Sanitizer, sanitize_line, sanitize_prose};
use silcrow_term::fit::shortened;

pub(crate) use answer::AnswerWriter;
use asking::HeldOutput;
use changes::changed_lines;
use collected::answer_sanitizer;
use progress::ProgressLines;
use replay::ShownReplay;
use result_line::result_line;

use crate::cost::{self, summary_line};
use crate::instance::instance_prefix;
use crate::options::{ConsoleOptions, Detail, DiffShown};
use crate::output::ConsoleOutput;
use crate::told_error::is_for_person;
use crate::tool_facts::ToolFacts;

/// Shows a run to a person: the answer on standard output, everything else on standard error.
pub struct Screen {
    /// Whether text is shown as it is written rather than in complete units.
    tokens: bool,
    /// Whether only the answer and questions are shown.
    is_quiet: bool,
    /// The lines to show before everything else.
    notices: Vec<String>,
    /// The number and the kind of the section that is being written.
    open: Option<(u32, TextKind)>,
    sanitizer: Sanitizer,
    /// Whether the cursor of standard error is at the start of a line.
    fresh: bool,
    answer: AnswerWriter,
    /// The output of everything but the answer.
    aside: Box<dyn Write + Send>,
    facts: ToolFacts,
    /// Whether the answer is written as it is, because standard output is not a terminal.
    is_exact: bool,
    /// Whether a person is being asked, so that all output is held back.
    asking: bool,
    held: Vec<HeldOutput>,
    /// The replay that it shows, or `None` for another run.
    replay: Option<ShownReplay>,
    /// Events that wait for the end of the answer's line.
    delayed: Vec<Entry>,
    progress: ProgressLines,
    /// The shown parts of changes in files.
    diff: DiffShown,
    /// The changes of calls that have not ended, with their ids.
    changes: Vec<CallChanges>,
    /// The number of steps so far.
    steps: u32,
    total: Usage,
    /// The usage of the run with everything that its calls ran, if that is more.
    all: Option<Usage>,
    /// The accounts that limit the run.
    balances: Option<Balances>,
}

/// The code of the error of a run whose last answer is not accepted.
const NO_ANSWER: &str = "no_answer";

impl Screen {
    /// Creates a screen. The notices are lines that come before everything else, once there is
    /// something to show.
    ///
    /// ```
    /// use silcrow_console::ConsoleOutput;
    /// use silcrow_console::options::ConsoleOptions;
    /// use silcrow_console::screen::Screen;
    ///
    /// let output = ConsoleOutput::new(std::io::sink(), Vec::new());
    /// let mut screen = Screen::new(vec!["a notice".to_owned()], output, &ConsoleOptions::new());
    /// screen.show_notices();
    /// screen.finish()?;
    /// # std::io::Result::Ok(())
    /// ```
    pub fn new(notices: Vec<String>, output: ConsoleOutput, options: &ConsoleOptions) -> Self {
        let ConsoleOutput { answer, aside, is_answer_terminal, is_aside_terminal } = output;
        let is_shared = is_answer_terminal && is_aside_terminal;
        Self {
            tokens: options.tokens,
            is_quiet: options.detail == Detail::Quiet,
            notices,
            open: None,
            sanitizer: answer_sanitizer(),
            fresh: true,
            answer: AnswerWriter::new(answer, options.streams_answer, is_shared),
            aside,
            facts: options.calls,
            is_exact: !is_answer_terminal,
            asking: false,
            held: Vec::new(),
            replay: None,
            delayed: Vec::new(),
            progress: ProgressLines::default(),
            diff: options.diff,
            changes: Vec::new(),
            steps: 0,
            total: Usage::default(),
            all: None,
            balances: None,
        }
    }

    /// Shows a line of the program itself, which may contain names from others.
    pub fn show_line(&mut self, line: &str) {
        self.end_lines();
        self.show_delayed();
        self.aside(&sanitize_line(line));
        self.aside("\n");
    }

    /// Shows the lines that come before everything else, unless they were shown.
    pub fn show_notices(&mut self) {
        for notice in std::mem::take(&mut self.notices) {
            self.show_line(&notice);
        }
    }

    /// Shows an event of a run.
    pub fn show(&mut self, output: RunEventRef<'_>) {
        self.show_notices();
        if let RunEventRef::Call(CallTransition::Recorded { id }, _) = output {
            self.recorded(id);
        }
        if let RunEventRef::Entry(Entry {
            event: Event::Progress(piece), agent_path: None, ..
        }) = output
        {
            return self.progress(piece);
        }
        if let RunEventRef::Entry(Entry {
            event: Event::Changes(changes), agent_path: None, ..
        }) = output
        {
            return self.changes.push(changes.clone());
        }
        if self.asking {
            return self.hold(output);
        }
        match output {
            RunEventRef::Text(text, place) if self.tokens => self.text(text, place.turn),
            RunEventRef::Text(..) => {}
            RunEventRef::Entry(entry) if self.is_delayed(entry) => self.delayed.push(entry.clone()),
            RunEventRef::Entry(entry) => self.event(entry),
            _ => {}
        }
    }

    /// Ends the last line, and shows the usage of the run.
    ///
    /// # Errors
    ///
    /// Returns the first error of writing the answer. Errors of writing anything else are ignored.
    pub fn finish(&mut self) -> io::Result<()> {
        self.take_question_back();
        self.end_lines();
        self.show_delayed();
        let written = self.answer.finish();
        if self.steps > 1 {
            let total = cost::usage_line(&self.total);
            self.aside(&format!("· {} steps: {total}\n", self.steps));
        }
        if let Some(all) = &self.all {
            let all = cost::usage_line(all);
            self.aside(&format!("· with all that its calls ran: {all}\n"));
        }
        if let Some(balances) = &self.balances {
            let spent = cost::balances_line(balances);
            self.aside(&format!("· spent: {spent}\n"));
        }
        written
    }

    fn text(&mut self, text: TextFragment<'_>, turn: Option<u32>) {
        if self.open.is_none_or(|(part, _)| part != text.part) {
            self.close();
            self.show_delayed();
            self.open = Some((text.part, text.kind));
            if text.kind.is_respond() && self.answer.streams() {
                self.answer.begin_part(turn, text.part);
            }
        }
        if self.is_exact && text.kind.is_respond() {
            return self.write_text(text.kind, text.text);
        }
        let mut shown = String::with_capacity(text.text.len());
        self.sanitizer.push(text.text, &mut shown);
        self.write_text(text.kind, &shown);
    }

    fn event(&mut self, entry: &Entry) {
        let event = &entry.event;
        if !self.delayed.is_empty() {
            self.close();
            self.show_delayed();
        }
        if let Some(path) = &entry.agent_path {
            return self.inner(path, event);
        }
        match event {
            Event::Think(think) if !self.tokens => {
                self.write_text(TextKind::Think, &sanitize_prose(&think.content));
            }
            Event::Respond(respond) if !self.answer.streams() && respond.malformed.is_none() => {
                self.collect(entry.turn, respond);
            }
            _ => {}
        }
        self.close();
        match event {
            Event::Call(call) => {
                let (name, args) = (shortened(call.name(), 60), shortened(call.args(), 200));
                self.aside(&format!("{}→ {name} {args}\n", instance_prefix(event)));
            }
            Event::End if !self.answer.has_answer() => {
                self.say("the model gave no answer\n");
            }
            Event::End => self.answer.accept(),
            Event::User { content, .. } => self.prompt(content),
            Event::Interrupt { .. } => self.aside("stopped\n"),
            Event::Notice { content } => {
                if self.answer.streams() && self.answer.has_answer() && rejects_answer(content) {
                    self.aside("that was no answer; the model was asked again\n");
                }
                self.answer.reject(entry.turn);
            }
            Event::Summary(summary) => self.aside(&format!("{}\n", summary_line(summary))),
            Event::Result(outcome) => {
                self.end_progress(outcome.id.as_deref().unwrap_or_default());
                let source = self.source(outcome);
                let item = instance_prefix(event);
                self.result(&item, outcome, source);
                let id = outcome.id.as_deref().unwrap_or_default();
                let ended = self.changes.extract_if(.., |changes| changes.id == id);
                let lines: String = ended.map(|one| changed_lines(&one, self.diff)).collect();
                self.aside(&lines);
            }
            Event::Metric(metric) => {
                self.steps += 1;
                self.total = metric.total;
                self.all = metric.all.as_deref().copied();
                self.balances = metric.budget.as_deref().copied();
                self.aside(&format!("· {}\n", cost::usage_line(&metric.step)));
            }
            Event::Error(fault) if fault.at.is_some() => {
                if fault.code == DiagnosticKind::SecondResponse.as_str() {
                    self.answer.keep_last(entry.turn);
                }
                let most = if is_for_person(fault) { 400 } else { 120 };
                let note = format!("  note {}: {}\n", fault.code, shortened(&fault.content, most));
                self.aside(&note);
            }
            // The run failed because its last answer does not answer.
            Event::Error(fault) if fault.code == NO_ANSWER => self.answer.reject(entry.turn),
            _ => {}
        }
    }

    fn result(&mut self, item: &str, outcome: &CallResult, source: &str) {
        let sign = match outcome.status() {
            _ if (self.facts.has_failed)(outcome) => "!",
            Ended::Success => "✓",
            Ended::Failure => "✗",
        };
        self.aside(&format!("{item}{sign} {}{source}\n", result_line(outcome)));
    }

    fn write_text(&mut self, kind: TextKind, text: &str) {
        match kind {
            TextKind::Think => self.aside(text),
            // The result of a malformed call describes its error.
            TextKind::Malformed => {}
            TextKind::Respond { .. } if self.answer.streams() => self.write_answer(text),
            TextKind::Respond { .. } => {}
        }
    }

    /// Ends the text that is being written.
    fn close(&mut self) {
        let mut rest = String::new();
        std::mem::replace(&mut self.sanitizer, answer_sanitizer()).finish(&mut rest);
        if let Some((_, kind)) = self.open.take() {
            self.write_text(kind, &rest);
        }
        self.end_lines();
    }

    fn end_lines(&mut self) {
        if !self.fresh {
            self.say("\n");
        }
        // Nothing follows on the terminal that both share.
        if !self.is_quiet && self.answer.break_line() {
            self.say("\n");
        }
    }

    /// Shows a text beside the answer.
    fn aside(&mut self, text: &str) {
        if !self.is_quiet {
            self.say(text);
        }
    }

    /// Shows a text beside the answer, even if only the answer is wanted.
    fn say(&mut self, text: &str) {
        // If nobody reads it any more, the line is lost.
        let _ = self.aside.write_all(text.as_bytes()).and_then(|()| self.aside.flush());
        if let Some(last) = text.chars().last() {
            self.fresh = last == '\n';
        }
    }
}

impl fmt::Debug for Screen {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Screen").field("answer", &self.answer).finish_non_exhaustive()
    }
}

/// Locks the screen, even after a panic of another thread that held the lock.
pub fn lock(screen: &Mutex<Screen>) -> MutexGuard<'_, Screen> {
    screen.lock().unwrap_or_else(PoisonError::into_inner)
}
