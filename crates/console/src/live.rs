//! Shows a run on a terminal that a person watches, and handles the person's input.
//!
//! Completed output is written once, as lines that scroll away: thoughts, finished calls, the
//! answer as Markdown. The rows below change: text being written, running calls, the open question,
//! a status line, and the line being typed.

mod about;
mod always;
mod answer;
mod area;
mod ask;
mod attention;
mod call_look;
mod calls;
mod changes;
mod done_line;
mod draft;
mod drawing;
mod events;
mod frame_output;
mod inner_origin;
mod key_burst;
mod keyboard;
mod keyed_reply;
mod last_thought;
mod late_answer;
mod live_question;
mod pauses;
mod picker;
mod place;
mod plan_question;
mod process;
mod question;
mod question_reply;
mod queued;
mod quiet;
mod rows;
mod section;
mod signs;
mod status;
mod terminal;
mod thought;
mod todo_rows;
mod totals;
mod typed_input;
mod typed_rows;
mod walls;

use std::fmt;
use std::io;

use silcrow_event::Usage;
use silcrow_sanitize::sanitize_line;
use silcrow_term::{Line, Style, TextRole, Theme};

pub use crate::size::TerminalSize;
pub use always::{AlwaysChoice, AlwaysChoices, AlwaysWidth};
use area::LiveArea;
use attention::Attention;
use call_look::CallLook;
use calls::CallRows;
pub use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use done_line::DoneLine;
use draft::Draft;
use frame_output::FrameOutput;
pub use keyboard::{Keyboard, Suspended};
pub use keyed_reply::KeyedReply;
pub use live_question::{LiveQuestion, WantedReply};
use pauses::PauseLine;
pub use picker::{PickerRow, PickerStep, RowPicker};
pub use process::{is_possible, restore};
use question::ShownQuestion;
pub use question_reply::{PlanAnswer, QuestionReply};
pub use quiet::QuietTerminal;
use section::{OpenText, ShownSection};
use signs::LineSigns;
use status::RunStatus;
pub use terminal::LiveTerminal;
use thought::ThoughtLook;
use todo_rows::TodoRows;
use totals::RunTotals;
pub use typed_input::TypedInput;
pub use typed_rows::TypedRows;
pub use walls::ShownWalls;

use crate::options::{ConsoleOptions, Detail, DiffShown, NotifyWay, Thoughts};
use crate::screen::AnswerWriter;
use crate::tool_facts::ToolFacts;

/// Shows runs to a person at a terminal.
pub struct LiveScreen {
    area: LiveArea,
    theme: Theme,
    signs: LineSigns,
    size: TerminalSize,
    /// Returns the size of the terminal.
    measure: Box<dyn Fn() -> TerminalSize + Send>,
    thoughts: Thoughts,
    detail: Detail,
    diff: DiffShown,
    /// The command that shows the whole of a change.
    whole: &'static str,
    facts: ToolFacts,
    /// Whether text is shown as it is written rather than in complete units.
    tokens: bool,
    /// The lines that are complete and not on the screen yet.
    done: Vec<DoneLine>,
    /// The writer of the exact answer, if standard output is not this terminal.
    piped: Option<AnswerWriter>,
    open: Option<ShownSection>,
    /// The lines that came in the middle of an answer or a thought, and follow it: about calls that
    /// ended, from the program, and messages of the person.
    after_answer: Vec<Line>,
    last_thought: String,
    last_answer: String,
    calls: CallRows,
    todo: TodoRows,
    status: RunStatus,
    question: Option<ShownQuestion>,
    draft: Draft,
    /// The prompts for after the run.
    queued: Vec<String>,
    /// The line that is typed while no run works.
    typed: Option<TypedRows>,
    totals: RunTotals,
    /// The usage of all runs.
    used: Usage,
    /// Returns the line about a request that waits to be repeated.
    pauses: Option<PauseLine>,
    attention: Attention,
    is_over: bool,
    /// Whether the run has written a line, and the last one is not empty.
    has_lines: bool,
}

/// The effect of a key on the run.
#[derive(Debug)]
#[expect(clippy::exhaustive_enums, reason = "the loop of a run has to know each effect")]
pub enum KeyEffect {
    /// Nothing for the run.
    None,
    /// The run is to stop.
    Stop,
    /// The person sends a message.
    Send(String),
}

impl LiveScreen {
    /// Creates a screen on a terminal, for runs of a model of this name.
    ///
    /// ```
    /// use silcrow_console::live::{LiveScreen, LiveTerminal, TerminalSize};
    /// use silcrow_console::options::ConsoleOptions;
    ///
    /// let size = TerminalSize { columns: 80, rows: 24 };
    /// let terminal = LiveTerminal::new(Vec::new(), move || size);
    /// let mut screen = LiveScreen::new("a-model", terminal, &ConsoleOptions::new());
    /// assert_eq!(screen.finish()?, "", "nothing was typed");
    /// # std::io::Result::Ok(())
    /// ```
    pub fn new(model: &str, terminal: LiveTerminal, options: &ConsoleOptions) -> Self {
        let LiveTerminal { out, is_slow, size: measure, signs, answer } = terminal;
        let out = if is_slow { FrameOutput::in_background(out) } else { FrameOutput::direct(out) };
        let ConsoleOptions { theme, thoughts, detail, diff, whole, tokens, price, status, .. } =
            *options;
        Self {
            area: LiveArea::new(out, theme),
            theme,
            signs,
            size: measure(),
            measure,
            thoughts,
            detail,
            diff,
            whole,
            facts: options.calls,
            tokens,
            done: Vec::new(),
            piped: answer.map(|answer| AnswerWriter::new(answer, false, false)),
            open: None,
            after_answer: Vec::new(),
            last_thought: String::new(),
            last_answer: String::new(),
            calls: CallRows::default(),
            todo: TodoRows::default(),
            status: RunStatus::new(model, price, status),
            question: None,
            draft: Draft::default(),
            queued: Vec::new(),
            typed: None,
            totals: RunTotals::default(),
            used: Usage::default(),
            pauses: None,
            attention: Attention::new(NotifyWay::Off),
            is_over: true,
            has_lines: false,
        }
    }

    /// Begins a run of a model of this name.
    pub fn begin(&mut self, model: &str) {
        self.status.begin(model);
        self.last_answer.clear();
        self.totals = RunTotals::default();
        self.todo.begin();
        self.is_over = false;
        self.has_lines = false;
        self.call_at_begin();
    }

    /// Shows a line of the program itself, which may contain names from others. It follows the text
    /// that is being written.
    pub fn show_line(&mut self, line: &str) {
        self.show_lines(&[Line::styled(&sanitize_line(line), Style::PLAIN.dim())]);
    }

    /// Shows lines as they are. They follow the text that is being written.
    pub fn show_lines(&mut self, lines: &[Line]) {
        let columns = self.columns();
        for line in lines {
            self.push_after(&line.wrap(columns, 2));
        }
    }

    /// Writes rows below the section that is being written: at once, or when it has ended.
    fn push_after(&mut self, rows: &[Line]) {
        match &self.open {
            Some(ShownSection { text: OpenText::Thought(_) | OpenText::Answer(_), .. }) => {
                self.after_answer.extend_from_slice(rows);
            }
            _ => self.push_done(rows),
        }
    }

    /// Returns whether symbols are limited to ASCII.
    pub fn is_ascii(&self) -> bool {
        self.signs.is_ascii()
    }

    /// Returns the sign before a prompt.
    pub const fn prompt_sign(&self) -> &'static str {
        self.signs.prompt
    }

    /// Returns the last answer, as the model wrote it.
    pub fn last_answer(&self) -> &str {
        &self.last_answer
    }

    /// Ends the run: writes what is complete, erases the rows, and returns the text that was typed
    /// and not sent.
    ///
    /// # Errors
    ///
    /// Returns the first error of writing an answer that is not shown on the terminal. Errors of
    /// drawing are ignored.
    pub fn finish(&mut self) -> io::Result<String> {
        self.close();
        self.question = None;
        self.calls.clear();
        let totals = std::mem::take(&mut self.totals);
        self.used += totals.used();
        if totals.steps > 0 && self.detail > Detail::Brief {
            let cost = self.status.cost(&totals.usage);
            let facts: Vec<_> = totals.facts(cost).into_iter().chain(self.todo.summary()).collect();
            self.note(&facts.join(self.signs.between));
        }
        self.is_over = true;
        self.draw();
        self.call_at_end();
        let draft = self.draft.take();
        self.draw();
        let written = self.piped.as_mut().map_or(Ok(()), AnswerWriter::finish);
        written.map(|()| draft)
    }

    /// Returns the number of columns that rows may take.
    fn columns(&self) -> usize {
        self.size.columns.saturating_sub(1).max(10)
    }

    fn push_done(&mut self, lines: &[Line]) {
        if let Some(last) = lines.last() {
            self.has_lines = !last.is_empty();
        }
        self.done.extend(lines.iter().cloned().map(DoneLine::Row));
    }

    /// Writes a line about the run.
    fn note(&mut self, text: &str) {
        if self.detail == Detail::Quiet {
            return;
        }
        let line = Line::styled(self.signs.note, Style::new(TextRole::Sign));
        let rows = line.with_text(&format!(" {text}"), Style::PLAIN.dim()).wrap(self.columns(), 2);
        self.push_done(&rows);
    }

    fn call_look(&self, output_lines: usize) -> CallLook<'_> {
        let (diff, whole, columns) = (self.diff, self.whole, self.columns());
        CallLook { signs: &self.signs, columns, output_lines, diff, whole, facts: self.facts }
    }

    fn thought_look(&self) -> ThoughtLook<'_> {
        ThoughtLook { signs: &self.signs, columns: self.columns(), thoughts: self.thoughts }
    }
}

impl fmt::Debug for LiveScreen {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("LiveScreen").field("size", &self.size).finish_non_exhaustive()
    }
}
