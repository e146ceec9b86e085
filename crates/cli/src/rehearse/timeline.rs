use std::io::{self, Write};
use std::time::Duration;

use silcrow_plan::How;

use crate::rehearse::play::{Line, What};
use crate::visible::visible;

/// A rehearsal as a picture: a bar a call, over time.
#[derive(Default)]
pub(crate) struct Timeline {
    calls: Vec<Row>,
    answer: String,
    /// When the first text of the answer was given out.
    answered: Option<Duration>,
    done: Duration,
    /// The last thing that happened.
    end: Duration,
}

struct Row {
    id: String,
    /// From when to when an attempt ran.
    bars: Vec<(Duration, Option<Duration>)>,
    ended: Option<(How, Option<String>)>,
}

/// Columns for the bars, however narrow the terminal is.
const NARROWEST: usize = 10;

impl Timeline {
    pub(crate) fn push(&mut self, Line { at, what }: Line) {
        self.end = self.end.max(at);
        match what {
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
                self.answered.get_or_insert(at);
                self.answer.push_str(&content);
            }
            What::Done => self.done = at,
            What::Event(_) | What::Bind { .. } => {}
        }
    }

    pub(crate) fn draw(&self, out: &mut impl Write) -> io::Result<()> {
        let columns = rustix::termios::tcgetwinsize(io::stdout())
            .map_or(80, |size| usize::from(size.ws_col))
            .max(40);
        let ids = Vec::from_iter(self.calls.iter().map(|row| shortened(&visible(&row.id), 20)));
        let names = ids.iter().map(|id| id.chars().count()).max().unwrap_or(0).max("answer".len());
        let ends = Vec::from_iter(self.calls.iter().map(Row::end));
        let longest = ends.iter().map(|end| end.chars().count()).max().unwrap_or(0);
        let taken = names + 2;
        let bars = columns.saturating_sub(taken + 1 + longest.clamp(9, 30)).max(NARROWEST);
        let room = columns.saturating_sub(taken + bars + 1);
        for ((row, id), end) in self.calls.iter().zip(&ids).zip(&ends) {
            let bar = row.bar(self.end, bars);
            let end = shortened(&visible(end), room);
            writeln!(out, "{}", format!("{id:names$}  {bar} {end}").trim_end())?;
        }
        if let Some(at) = self.answered {
            let before = column(at, self.end, bars);
            let bar = format!("{}{}", " ".repeat(before), "─".repeat(bars - before));
            writeln!(out, "{:names$}  {bar} {}", "answer", seconds(at))?;
        }
        writeln!(out, "{:names$}  {:bars$} done {}", "", "", seconds(self.done))?;
        if !self.answer.is_empty() {
            writeln!(out, "\n{}", visible(self.answer.trim_end()))?;
        }
        out.flush()
    }

    fn row(&mut self, id: &str) -> &mut Row {
        let index = self.calls.iter().position(|row| row.id == id).unwrap_or_else(|| {
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
        let mut bar = vec![' '; columns];
        for &(from, to) in &self.bars {
            let from = column(from, end, columns);
            let to = column(to.unwrap_or(end), end, columns).max(from + 1);
            bar[from..to].fill('█');
        }
        bar.into_iter().collect()
    }

    fn end(&self) -> String {
        match &self.ended {
            None => "runs on".to_owned(),
            Some((How::Ok, _)) => {
                let ended = self.bars.last().and_then(|(_, end)| *end);
                ended.map_or_else(|| "ok".to_owned(), |at| format!("ok {}", seconds(at)))
            }
            Some((how @ How::Failed, Some(why))) => format!("{}: {why}", how.as_str()),
            Some((_, Some(why))) => why.clone(),
            Some((how, None)) => how.as_str().to_owned(),
        }
    }
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

fn shortened(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        None => text.to_owned(),
        Some(_) => text.chars().take(most.saturating_sub(1)).chain(['…']).collect(),
    }
}
