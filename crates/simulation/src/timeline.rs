//! A simulation as a picture of text: for each call a bar over time.
//!
//! It collects events until the end, and then computes the duration of a column.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::time::Duration;

use silcrow_event::{
    BlockMark, CallEnd, CallResult, CallTransition, ControlKind, ErrorEvent, Event, ResultStatus,
};
use silcrow_sanitize::sanitize;
use silcrow_term::fit::columns as width;

use crate::block_rows::BlockRows;
use crate::event::{SimulationEvent, TimedEvent};

/// A simulation as a picture of text: for each call a bar over time, with the end of the call.
///
/// A row has the id of the call, a bar for each attempt, and the end of the call. A control block has a
/// row from its beginning to the end of the last call in it. The rows `answer` and
/// `done` follow. Below are texts that did not fit, diagnostics of the text, and the answer. Nothing in
/// them can change a terminal.
///
/// ```
/// use silcrow_parser::Dialect;
/// use silcrow_simulation::{Simulation, Timeline};
///
/// let wire = "§call: {\"name\": \"wait\"}\n§execute\n§respond: Done.\n§end";
/// let timeline = Timeline::new(Simulation::new(wire, Dialect::Sigil).run()?);
/// assert!(timeline.render(60).starts_with("a1      ██████"));
/// # Ok::<_, silcrow_simulation::Error>(())
/// ```
#[derive(Debug, Default)]
pub struct Timeline {
    /// The calls in the order in which they are written.
    calls: Vec<TimelineRow>,
    /// The row of a call, by the number of its answer, and the path of the workflow it is in and its id.
    by_id: BTreeMap<(u32, String), usize>,
    answer: String,
    /// When the first and the last text of the answer were shown.
    answered: Option<(Duration, Duration)>,
    notes: Vec<String>,
    blocks: BlockRows,
    done: Duration,
    /// When the last event happened.
    end: Duration,
}

#[derive(Debug)]
struct TimelineRow {
    id: String,
    /// When each attempt started and ended.
    bars: Vec<(Duration, Option<Duration>)>,
    ended: Option<(CallEnd, Option<String>)>,
}

impl Timeline {
    /// Makes a picture of the events of a simulation.
    pub fn new(events: impl IntoIterator<Item = TimedEvent>) -> Self {
        let mut timeline = Self::default();
        events.into_iter().for_each(|event| timeline.push(event));
        timeline
    }

    fn push(&mut self, TimedEvent { at, turn, agent_path, event }: TimedEvent) {
        self.end = self.end.max(at);
        // Calls that another call runs have their rows below it.
        let path = agent_path.unwrap_or_default();
        match event {
            // Calls that another call runs are in the order of their starts.
            SimulationEvent::Emitted(Event::Call(call)) if path.is_empty() => {
                if !call.is_instance() {
                    self.blocks.push(turn, call.id());
                }
                self.row(turn, &path, call.id());
            }
            SimulationEvent::Emitted(Event::Block(mark)) if path.is_empty() => {
                self.mark(at, turn, &mark);
            }
            SimulationEvent::Emitted(Event::Result(result)) if path.is_empty() => {
                self.end_block(turn, &result);
            }
            SimulationEvent::Emitted(Event::Error(ErrorEvent { code, content, .. })) => {
                self.notes.push(format!("note {code}: {content}"));
            }
            SimulationEvent::Emitted(Event::Respond(respond)) if respond.malformed.is_none() => {
                self.answer.push_str("\n\n");
            }
            SimulationEvent::Call(transition) => self.apply(at, turn, &path, transition),
            SimulationEvent::Answered(text) => {
                self.answered = Some((self.answered.map_or(at, |(first, _)| first), at));
                self.answer.push_str(&text);
            }
            SimulationEvent::Done => self.done = at,
            SimulationEvent::Emitted(_) => {}
        }
    }

    /// Takes a part of a control block, which has a row from its beginning to the end of everything
    /// in it.
    fn mark(&mut self, at: Duration, turn: u32, mark: &BlockMark) {
        match mark {
            BlockMark::Begin(block) if block.kind.has_body() => {
                let depth = self.blocks.push(turn, &block.id);
                self.blocks.open(&block.id);
                let label = format!("{:1$}{2} {3}", "", 2 * depth, block.kind.as_str(), block.id);
                let row = self.row(turn, "", &block.id);
                row.id = label;
                row.bars.push((at, Some(at)));
                row.ended = Some((CallEnd::Ok, None));
            }
            BlockMark::End { id } => {
                self.blocks.close(id);
                self.row(turn, "", id).extend(at);
            }
            _ => {}
        }
    }

    /// Takes the result of a block, which one that failed or was skipped has.
    fn end_block(&mut self, turn: u32, result: &CallResult) {
        let is_block = result.tool().is_some_and(|tool| ControlKind::WORDS.contains(&tool));
        if let Some(id) = result.id.as_deref().filter(|_| is_block)
            && result.status() == ResultStatus::Failure
            && self.by_id.contains_key(&(turn, format!("/{id}")))
        {
            self.row(turn, "", id).ended = Some((CallEnd::Failed, Some(result.failure_text())));
        }
    }

    /// Changes the row of a call.
    fn apply(&mut self, at: Duration, turn: u32, path: &str, transition: CallTransition<'_>) {
        match transition {
            CallTransition::Ready { id, .. } => {
                let row = self.row(turn, path, &id);
                row.end_bar(at);
                row.bars.push((at, None));
            }
            CallTransition::Ended { id, end, reason } => {
                let row = self.row(turn, path, &id);
                row.end_bar(at);
                row.ended = Some((end, reason.map(Cow::into_owned)));
                let around =
                    if path.is_empty() { self.blocks.around(turn, &id) } else { Vec::new() };
                for block in around {
                    self.row(turn, path, &block).extend(at);
                }
            }
            CallTransition::Paused { id } => self.row(turn, path, &id).end_bar(at),
            _ => {}
        }
    }

    /// Returns the picture for a terminal with this many columns, with a line break after each
    /// line.
    ///
    /// In fewer columns than a name, ten columns of bar and an end need, lines are longer.
    pub fn render(&self, columns: usize) -> String {
        let mut out = String::new();
        let rows = Vec::from_iter(self.calls.iter().map(|row| (one_line(&row.id), row.end())));
        let longest = |texts: &mut dyn Iterator<Item = &String>| {
            texts.map(|text| width(text)).max().unwrap_or_default()
        };
        let names = longest(&mut rows.iter().map(|(id, _)| id));
        let names = names.clamp("answer".len(), columns.div_ceil(4).max(NAME));
        let ends = longest(&mut rows.iter().map(|(_, end)| end));
        let ends = ends.clamp(END, (columns / 3).max(END));
        let bars = columns.saturating_sub(names + 2 + 1 + ends).max(BARS);
        let mut line = |name: &str, bar: &str, end: &str| {
            let (name, end) = (shortened(name, names), shortened(end, ends));
            let blank = " ".repeat(names - width(&name));
            out.push_str(format!("{name}{blank}  {bar} {end}").trim_end());
            out.push('\n');
        };
        for (row, (id, end)) in self.calls.iter().zip(&rows) {
            line(id, &row.bar(self.end, bars), end);
        }
        if let Some((from, to)) = self.answered {
            let bar = bar(&[(from, to)], '─', self.end, bars);
            line("answer", &bar, &format!("from {}", seconds(from)));
        }
        let mark = bar(&[(self.done, self.done)], '│', self.end, bars);
        line("done", &mark, &seconds(self.done));
        let cut = rows.iter().filter(|(id, end)| width(id) > names || width(end) > ends);
        let more = cut.map(|(id, end)| format!("{id}: {end}"));
        let more = Vec::from_iter(more.chain(self.notes.iter().map(|note| one_line(note))));
        if !more.is_empty() {
            out.push_str(&format!("\n{}\n", more.join("\n")));
        }
        if !self.answer.is_empty() {
            out.push_str(&format!("\n{}\n", sanitize(self.answer.trim_end())));
        }
        out
    }

    fn row(&mut self, turn: u32, path: &str, id: &str) -> &mut TimelineRow {
        let index = *self.by_id.entry((turn, format!("{path}/{id}"))).or_insert_with(|| {
            let depth = if path.is_empty() { 0 } else { path.split('/').count() };
            let id = format!("{:1$}{id}", "", 2 * depth);
            self.calls.push(TimelineRow { id, bars: Vec::new(), ended: None });
            self.calls.len() - 1
        });
        &mut self.calls[index]
    }
}

impl TimelineRow {
    /// Lets the bar of a block last until this time.
    fn extend(&mut self, at: Duration) {
        if let Some((_, Some(end))) = self.bars.last_mut() {
            *end = (*end).max(at);
        }
    }

    /// Ends the bar of the current attempt. Between two attempts this does nothing.
    fn end_bar(&mut self, at: Duration) {
        if let Some((_, end @ None)) = self.bars.last_mut() {
            *end = Some(at);
        }
    }

    fn bar(&self, end: Duration, columns: usize) -> String {
        let bars = self.bars.iter().map(|&(from, to)| (from, to.unwrap_or(end)));
        bar(&Vec::from_iter(bars), '█', end, columns)
    }

    fn end(&self) -> String {
        let attempts = match self.bars.len() {
            0 | 1 => String::new(),
            attempts => format!(", attempt {attempts}"),
        };
        let end = match &self.ended {
            None => "runs on".to_owned(),
            Some((CallEnd::Ok, _)) => {
                let at = self.bars.last().and_then(|(_, end)| *end);
                at.map_or_else(|| "ok".to_owned(), |at| format!("ok {}{attempts}", seconds(at)))
            }
            Some((CallEnd::Failed, Some(why))) => format!("failed{attempts}: {why}"),
            Some((_, Some(why))) => why.clone(),
            Some((how, None)) => how.as_str().to_owned(),
        };
        one_line(&end)
    }
}

/// Returns a bar with each part filled, at least one column wide.
fn bar(parts: &[(Duration, Duration)], fill: char, end: Duration, columns: usize) -> String {
    let mut bar = vec![' '; columns];
    for &(from, to) in parts {
        let from = column(from, end, columns);
        let to = column(to, end, columns).max(from + 1);
        bar[from..to].fill(fill);
    }
    bar.into_iter().collect()
}

/// Returns the column of a time. The end of all is in the last column.
fn column(at: Duration, end: Duration, columns: usize) -> usize {
    let part = at.as_secs_f64() / end.as_secs_f64().max(f64::MIN_POSITIVE);
    ((part * columns as f64) as usize).min(columns - 1)
}

fn seconds(at: Duration) -> String {
    if at < Duration::from_secs(1) {
        format!("{} ms", at.as_millis())
    } else {
        format!("{:.2} s", at.as_secs_f64())
    }
}

fn one_line(text: &str) -> String {
    sanitize(text).replace(['\n', '\t'], " ")
}

/// Returns the text, or its beginning if it is wider than this many columns.
fn shortened(text: &str, most: usize) -> String {
    if width(text) <= most {
        return text.to_owned();
    }
    let room = most.saturating_sub(1);
    let ends = text.char_indices().map(|(at, char)| at + char.len_utf8());
    let end = ends.take_while(|&end| width(&text[..end]) <= room).last().unwrap_or_default();
    format!("{}…", &text[..end])
}

/// The columns that a name may take however narrow the terminal is.
const NAME: usize = 10;
/// The columns of the text after a bar, such as `from 10.93 s`.
const END: usize = 12;
/// The columns of the bars.
const BARS: usize = 10;
