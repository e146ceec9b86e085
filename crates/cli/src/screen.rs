use std::io::{self, IsTerminal as _, Write};
use std::time::Duration;

use silcrow_agent::Output;
use silcrow_event::{Event, Origin, Outcome, Status, Text, Voice};

use crate::visible::{Visible, visible};

/// A run as a person follows it: the answer on standard output, all else on standard error.
pub(crate) struct Screen {
    /// Text is shown as it is written, else in complete units.
    tokens: bool,
    color: bool,
    /// The part of the text that is being written, and where.
    open: Option<(u32, Voice)>,
    visible: Visible,
    /// Standard error stands at a line's start.
    fresh: bool,
    /// Standard output stands at a line's start.
    answered: bool,
    waiting: Option<Waiting>,
    model: String,
    paused: bool,
}

/// Nothing has come for a while.
struct Waiting {
    since: Duration,
    shown: bool,
}

const DIM: &str = "\x1b[2m";
const BOLD: &str = "\x1b[1m";
const RED: &str = "\x1b[31m";
const GREEN: &str = "\x1b[32m";
const PLAIN: &str = "\x1b[0m";
const CLEAR_LINE: &str = "\r\x1b[K";

impl Screen {
    pub(crate) fn new(model: &str, tokens: bool) -> Self {
        let terminal = io::stderr().is_terminal();
        let wanted = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
            && std::env::var_os("TERM").is_none_or(|term| term != "dumb");
        Self {
            tokens,
            color: terminal && wanted,
            open: None,
            visible: Visible::default(),
            fresh: true,
            answered: true,
            waiting: terminal.then_some(Waiting { since: Duration::ZERO, shown: false }),
            model: visible(model),
            paused: false,
        }
    }

    /// One line that is neither the model's nor a tool's.
    pub(crate) fn say(&mut self, line: &str) {
        self.come();
        self.end_lines();
        self.aside(DIM, line);
        self.aside("", "\n");
    }

    pub(crate) fn show(&mut self, output: Output<'_>) {
        match output {
            Output::Text(text, _) if self.tokens => self.text(text),
            Output::Text(..) => {}
            Output::Event(entry) => self.event(&entry.event),
            _ => {}
        }
    }

    /// A second has passed: tells what is being waited for when nothing comes.
    pub(crate) fn tick(&mut self, passed: Duration) {
        let Some(waiting) = &mut self.waiting else { return };
        waiting.since += passed;
        if self.paused || self.open.is_some() || waiting.since <= Duration::from_secs(1) {
            return;
        }
        waiting.shown = true;
        let line = format!("{CLEAR_LINE}… waiting, {} s ({})", waiting.since.as_secs(), self.model);
        self.aside(DIM, &line);
    }

    /// A person is being asked.
    pub(crate) fn pause(&mut self) {
        self.come();
        self.end_lines();
        self.paused = true;
    }

    pub(crate) fn go_on(&mut self) {
        self.come();
        self.paused = false;
    }

    /// Ends the last line.
    pub(crate) fn finish(&mut self) {
        self.come();
        self.end_lines();
    }

    fn text(&mut self, text: Text<'_>) {
        self.come();
        if self.open.is_none_or(|(part, _)| part != text.part) {
            self.close();
            self.open = Some((text.part, text.voice));
        }
        let mut shown = String::with_capacity(text.text.len());
        self.visible.push(text.text, &mut shown);
        self.voice(text.voice, &shown);
    }

    fn event(&mut self, event: &Event) {
        self.come();
        match event {
            Event::Think(think) if !self.tokens => {
                self.voice(Voice::Think, &visible(&think.content));
            }
            Event::Respond(respond) if !self.tokens => {
                self.voice(Voice::Respond { last: true }, &visible(&respond.content));
            }
            _ => {}
        }
        self.close();
        match event {
            Event::Call(call) => {
                self.aside(BOLD, &format!("→ {}", visible(call.name())));
                self.aside(DIM, &format!(" {}\n", shortened(call.args(), 200)));
            }
            Event::Result(outcome) => self.result(outcome),
            Event::Error(fault) if fault.at.is_some() => {
                let note = format!("  note {}: {}\n", fault.code, shortened(&fault.content, 120));
                self.aside(DIM, &note);
            }
            Event::Cancelled { content } => self.aside(DIM, &format!("{}\n", visible(content))),
            Event::Think(think) if think.origin == Origin::Provider => {}
            _ => {}
        }
    }

    fn result(&mut self, outcome: &Outcome) {
        let (color, sign) = match outcome.status() {
            Status::Success => (GREEN, "✓"),
            Status::Failure => (RED, "✗"),
        };
        let summary = outcome.payload.as_ref().map_or("", |payload| &payload.outcome);
        let mut line = format!(" {} {}", outcome.tool().unwrap_or("call"), summary);
        if outcome.status() == Status::Failure {
            line = format!("{line}: {}", outcome.content);
        }
        self.aside(color, sign);
        self.aside(DIM, &format!("{}\n", shortened(&line, 300)));
    }

    fn voice(&mut self, voice: Voice, text: &str) {
        match voice {
            Voice::Think => self.aside(DIM, text),
            Voice::Respond { .. } => {
                let mut out = io::stdout().lock();
                // A reader that has gone is no reason to stop the run.
                let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
                if let Some(last) = text.chars().last() {
                    self.answered = last == '\n';
                }
            }
        }
    }

    /// The text that was being written is complete.
    fn close(&mut self) {
        let mut rest = String::new();
        self.visible.finish(&mut rest);
        if let Some((_, voice)) = self.open.take() {
            self.voice(voice, &rest);
        }
        self.end_lines();
    }

    fn end_lines(&mut self) {
        if !self.fresh {
            self.aside("", "\n");
        }
        if !self.answered {
            self.voice(Voice::Respond { last: true }, "\n");
        }
    }

    /// Something comes: the line that tells of waiting goes.
    fn come(&mut self) {
        if let Some(waiting) = &mut self.waiting {
            waiting.since = Duration::ZERO;
            if std::mem::take(&mut waiting.shown) {
                self.aside("", CLEAR_LINE);
                self.fresh = true;
            }
        }
    }

    fn aside(&mut self, style: &str, text: &str) {
        let mut err = io::stderr().lock();
        let painted = self.color && !style.is_empty();
        let (style, plain) = if painted { (style, PLAIN) } else { ("", "") };
        let _ = write!(err, "{style}{text}{plain}").and_then(|()| err.flush());
        if let Some(last) = text.chars().last() {
            self.fresh = last == '\n';
        }
    }
}

/// One line of at most `most` characters.
fn shortened(text: &str, most: usize) -> String {
    let line = visible(text).replace('\n', "⏎").replace('\t', " ");
    match line.char_indices().nth(most) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line,
    }
}
