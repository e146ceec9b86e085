use std::collections::BTreeMap;
use std::io::{self, Write};
use std::time::Duration;

use silcrow_event::{ErrorEvent, Event};
use silcrow_plan::CallEnd;
use silcrow_sanitize::sanitize;
use unicode_width::UnicodeWidthChar as _;

use crate::rehearse::play::{Line, What};

/// A rehearsal as a picture: a bar a call, over time.
#[derive(Default)]
pub(crate) struct Timeline {
    /// In the order in which they are written.
    calls: Vec<Row>,
    by_id: BTreeMap<String, usize>,
    answer: String,
    /// When the first and the last text of the answer were given out.
    answered: Option<(Duration, Duration)>,
    notes: Vec<String>,
    done: Duration,
    /// The last thing that happened.
    end: Duration,
}

struct Row {
    id: String,
    /// From when to when an attempt ran.
    bars: Vec<(Duration, Option<Duration>)>,
    ended: Option<(CallEnd, Option<String>)>,
}

impl Timeline {
    pub(crate) fn push(&mut self, Line { at, what }: Line) {
        self.end = self.end.max(at);
        match what {
            What::Event(Event::Call(call)) => {
                self.row(call.id());
            }
            What::Event(Event::Error(ErrorEvent { code, content, .. })) => {
                self.notes.push(format!("note {code}: {content}"));
            }
            What::Event(Event::Respond(_)) => self.answer.push_str("\n\n"),
            What::Start(ready) => {
                let row = self.row(ready.id());
                row.pause(at);
                row.bars.push((at, None));
            }
            What::Finish { id, how, reason } => {
                let row = self.row(&id);
                row.pause(at);
                row.ended = Some((how, reason));
            }
            What::Pause { id } => self.row(&id).pause(at),
            What::Text { content, .. } => {
                self.answered = Some((self.answered.map_or(at, |(first, _)| first), at));
                self.answer.push_str(&content);
            }
            What::Done => self.done = at,
            What::Event(_) | What::Bind { .. } => {}
        }
    }

    /// For a terminal with so many columns.
    pub(crate) fn draw(&self, columns: usize, out: &mut impl Write) -> io::Result<()> {
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
            writeln!(out, "{}", format!("{name}{blank}  {bar} {end}").trim_end())
        };
        for (row, (id, end)) in self.calls.iter().zip(&rows) {
            line(id, &row.bar(self.end, bars), end)?;
        }
        if let Some((from, to)) = self.answered {
            let bar = bar(&[(from, to)], '─', self.end, bars);
            line("answer", &bar, &format!("from {}", seconds(from)))?;
        }
        let mark = bar(&[(self.done, self.done)], '│', self.end, bars);
        line("done", &mark, &seconds(self.done))?;
        let cut = rows.iter().filter(|(id, end)| width(id) > names || width(end) > ends);
        let more = cut.map(|(id, end)| format!("{id}: {end}"));
        let more = Vec::from_iter(more.chain(self.notes.iter().map(|note| one_line(note))));
        if !more.is_empty() {
            writeln!(out, "\n{}", more.join("\n"))?;
        }
        if !self.answer.is_empty() {
            writeln!(out, "\n{}", sanitize(self.answer.trim_end()))?;
        }
        out.flush()
    }

    fn row(&mut self, id: &str) -> &mut Row {
        let index = *self.by_id.entry(id.to_owned()).or_insert_with(|| {
            self.calls.push(Row { id: id.to_owned(), bars: Vec::new(), ended: None });
            self.calls.len() - 1
        });
        &mut self.calls[index]
    }
}

impl Row {
    /// The attempt at hand, if there is one, has ended.
    fn pause(&mut self, at: Duration) {
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

/// What stands between these times is filled, and at least a column of each.
fn bar(parts: &[(Duration, Duration)], fill: char, end: Duration, columns: usize) -> String {
    let mut bar = vec![' '; columns];
    for &(from, to) in parts {
        let from = column(from, end, columns);
        let to = column(to, end, columns).max(from + 1);
        bar[from..to].fill(fill);
    }
    bar.into_iter().collect()
}

/// In which of the columns a time stands; the last that is free begins the last bar.
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

/// Its beginning, if it takes more columns than that.
fn shortened(text: &str, most: usize) -> String {
    if width(text) <= most {
        return text.to_owned();
    }
    let mut room = most.saturating_sub(1);
    let fits = |char: &char| match room.checked_sub(char.width().unwrap_or_default()) {
        Some(rest) => {
            room = rest;
            true
        }
        None => false,
    };
    text.chars().take_while(fits).chain(['…']).collect()
}

/// How many columns a text takes, as terminals count: character by character.
fn width(text: &str) -> usize {
    text.chars().filter_map(|char| char.width()).sum()
}

/// Columns that a name may take however narrow the terminal is.
const NAME: usize = 10;
/// And what stands behind a bar: `from 10.93 s`.
const END: usize = 12;
/// And the bars.
const BARS: usize = 10;
