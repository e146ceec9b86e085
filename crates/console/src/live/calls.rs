//! The calls of a run: one row each while they are written and run, and one line when they end.

use std::collections::VecDeque;
use std::time::Duration;

use silcrow_event::{
    Call, CallChanges, CallResult, CallTextFragment, CallTransition, FileDelta, Progress,
    ResultStatus,
};
use silcrow_term::{Line, Style, TextRole};
use tokio::time::Instant;

use super::about::about;
use super::call_look::CallLook;
use super::changes::changed_rows;
use super::inner_origin::InnerOrigin;
use crate::output_lines::OutputLines;
use crate::plural::count;
use crate::quantity::{elapsed, elapsed_so_far, size};
use crate::tool_facts::ToolFacts;

/// The calls that have not ended, in the order in which they were written.
#[derive(Default)]
pub(super) struct CallRows {
    rows: Vec<CallRow>,
    /// The call that is being written.
    partial: Option<GrowingCall>,
}

/// A call that is being written.
struct GrowingCall {
    name: String,
    bytes: usize,
}

struct CallRow {
    turn: Option<u32>,
    /// The id, unique within its turn.
    id: String,
    name: String,
    /// The argument that matters.
    about: String,
    started: Option<Instant>,
    /// The time after which it is stopped, of a command.
    limit: Option<Duration>,
    output: OutputTail,
    /// Its changes in files.
    changes: Vec<FileDelta>,
    /// The current work of an agent that it runs.
    inner: Option<Line>,
}

/// The last lines of a call's output.
#[derive(Default)]
struct OutputTail {
    lines: VecDeque<String>,
    /// The number of lines so far.
    count: u64,
    /// The line that has not ended.
    open: OutputLines,
}

impl CallRows {
    /// Returns whether no call runs or is being written.
    pub(super) fn is_empty(&self) -> bool {
        self.rows.is_empty() && self.partial.is_none()
    }

    /// Takes a piece of a call that is being written.
    pub(super) fn write(&mut self, piece: CallTextFragment<'_>) {
        if piece.text.is_empty() {
            self.partial = None;
            return;
        }
        let partial =
            self.partial.get_or_insert_with(|| GrowingCall { name: String::new(), bytes: 0 });
        partial.bytes += piece.text.len();
        if let Some(name) = piece.name {
            partial.name = name.to_owned();
        }
    }

    /// Takes a complete call of a turn.
    pub(super) fn push(&mut self, call: &Call, turn: Option<u32>, facts: ToolFacts) {
        self.partial = None;
        self.rows.push(CallRow {
            turn,
            id: call.id().to_owned(),
            name: call.name().to_owned(),
            about: match call.is_instance() {
                true => format!("{} {}", call.id(), about(call.name(), call.args())),
                false => about(call.name(), call.args()),
            },
            started: None,
            limit: (facts.time_limit)(call.name(), call.args()),
            output: OutputTail::default(),
            changes: Vec::new(),
            inner: None,
        });
    }

    pub(super) fn transition(&mut self, transition: &CallTransition<'_>) {
        if let CallTransition::Started { id, .. } = transition
            && let Some(row) = self.find(id)
        {
            row.started = Some(Instant::now());
        }
    }

    pub(super) fn progress(&mut self, progress: &Progress) {
        if let Some(row) = self.find(&progress.id) {
            row.output.push(progress);
        }
    }

    /// Takes the changes of a call in files.
    pub(super) fn change(&mut self, changes: &CallChanges) {
        if let Some(row) = self.find(&changes.id) {
            row.changes.extend(changes.files.iter().cloned());
        }
    }

    /// Sets the current work of an agent or a workflow that a call runs.
    pub(super) fn inner(&mut self, origin: &InnerOrigin<'_>, line: Line) {
        if let Some(row) = self.rows.iter_mut().find(|row| origin.is_of(row.turn, &row.id)) {
            row.inner = Some(line);
        }
    }

    /// Returns the number of calls in which an agent or a workflow is at work.
    pub(super) fn agents(&self) -> usize {
        self.rows.iter().filter(|row| row.inner.is_some()).count()
    }

    /// Ends a call and returns its lines.
    pub(super) fn end(&mut self, result: &CallResult, look: &CallLook<'_>) -> Vec<Line> {
        let id = result.id.as_deref().unwrap_or_default();
        let at = self.rows.iter().position(|row| row.id == id);
        let row = at.map(|at| self.rows.remove(at));
        let name = row.as_ref().map_or_else(|| result.tool().unwrap_or("call"), |row| &row.name);
        let has_failed = (look.facts.has_failed)(result);
        let mut line = match result.status() {
            _ if has_failed => {
                Line::styled(look.signs.warning, Style::new(TextRole::Warning).bold())
            }
            ResultStatus::Success => {
                Line::styled(look.signs.success, Style::new(TextRole::Success))
            }
            ResultStatus::Failure => {
                Line::styled(look.signs.failure, Style::new(TextRole::Failure))
            }
        };
        line.push(" ", Style::PLAIN);
        line.push(name, Style::PLAIN.bold());
        if let Some(row) = row.as_ref().filter(|row| !row.about.is_empty()) {
            line.push(&format!(" {}", row.about), Style::PLAIN);
        }
        let outcome = outcome(result, has_failed);
        if !outcome.is_empty() {
            line.push(&format!(": {outcome}"), Style::PLAIN.dim());
        }
        let took = row.as_ref().and_then(|row| row.started).map(|started| started.elapsed());
        if let Some(took) = took.filter(|took| *took >= SHORT) {
            line.push(&format!("{}{}", look.signs.between, elapsed(took)), Style::PLAIN.dim());
        }
        let mut lines = line.wrap(look.columns, 2);
        if let Some(row) = row {
            lines.extend(row.output.end(look));
            lines.extend(changed_rows(&row.changes, &row.about, look));
        }
        lines
    }

    /// Forgets the calls, because the run is over.
    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    /// Returns a row for each call, with its current work.
    pub(super) fn lines(&self, look: &CallLook<'_>) -> Vec<Line> {
        let mut lines = Vec::new();
        for row in self.rows.iter().take(MOST_ROWS) {
            let time = match row.started {
                Some(started) => timed(started.elapsed(), row.limit, look.columns),
                None => "waits".to_owned(),
            };
            let time = format!("{}{time}", look.signs.between);
            // The time is seen even if the name and the argument have to be cut.
            let room = look.columns.saturating_sub(time.chars().count());
            let mut line = Line::styled(look.signs.call, Style::new(TextRole::Accent));
            line.push(" ", Style::PLAIN);
            line.push(&row.name, Style::PLAIN.bold());
            if !row.about.is_empty() {
                line.push(&format!(" {}", row.about), Style::PLAIN);
            }
            let mut line = line.shortened(room);
            line.push(&time, Style::PLAIN.dim());
            lines.push(line);
            if let Some(inner) = &row.inner {
                lines.push(
                    Line::styled("  ", Style::PLAIN).with_text(inner.text(), Style::PLAIN.dim()),
                );
            }
            let tail = row.output.lines.len().saturating_sub(LIVE_OUTPUT);
            for text in row.output.lines.iter().skip(tail) {
                lines.push(output_line(text, look));
            }
        }
        let hidden = self.rows.len().saturating_sub(MOST_ROWS);
        if hidden > 0 {
            let text = format!("{} {}", look.signs.more, count(hidden as u64, "more call"));
            lines.push(Line::styled(&text, Style::PLAIN.dim()));
        }
        if let Some(partial) = &self.partial {
            let mut line = Line::styled(look.signs.call, Style::new(TextRole::Accent));
            line.push(&format!(" {}", partial.name), Style::PLAIN.bold());
            let grown = format!(" {} {}", look.signs.more, size(partial.bytes));
            line.push(&grown, Style::PLAIN.dim());
            lines.push(line);
        }
        lines
    }

    fn find(&mut self, id: &str) -> Option<&mut CallRow> {
        self.rows.iter_mut().find(|row| row.id == id)
    }
}

impl OutputTail {
    fn push(&mut self, progress: &Progress) {
        for line in self.open.push(progress) {
            self.line(line);
        }
    }

    fn line(&mut self, line: String) {
        self.count += 1;
        if self.lines.len() == MOST_OUTPUT {
            self.lines.pop_front();
        }
        self.lines.push_back(line);
    }

    /// Returns the last lines, and how many are before them.
    fn end(mut self, look: &CallLook<'_>) -> Vec<Line> {
        for line in std::mem::take(&mut self.open).finish() {
            self.line(line);
        }
        let shown = self.lines.len().min(look.output_lines);
        let hidden = self.count - shown as u64;
        let mut lines = Vec::new();
        if hidden > 0 && shown > 0 {
            let text = format!("{} {}", look.signs.more, count(hidden, "line"));
            lines.push(output_line(&text, look));
        }
        let skipped = self.lines.len() - shown;
        lines.extend(self.lines.iter().skip(skipped).map(|line| output_line(line, look)));
        lines
    }
}

/// Returns how long a call runs, and of which time if it is near enough to that and there is room.
fn timed(took: Duration, limit: Option<Duration>, columns: usize) -> String {
    match limit.filter(|_| took >= LONG && columns >= WIDE) {
        Some(limit) => format!("{} s of {}", took.as_secs(), limit.as_secs()),
        None => elapsed_so_far(took),
    }
}

fn output_line(text: &str, look: &CallLook<'_>) -> Line {
    let sign = Line::styled(&format!("  {} ", look.signs.output), Style::new(TextRole::Sign));
    sign.with_text(text, Style::PLAIN.dim()).shortened(look.columns)
}

/// Returns the summary of a result, or the reason for a failure, on one line.
fn outcome(result: &CallResult, has_failed: bool) -> String {
    let summary = || result.payload.as_ref().map_or_else(String::new, |one| one.summary.clone());
    let text = match result.status() {
        // The output of a command stands below its row.
        _ if has_failed => summary(),
        ResultStatus::Failure => result.failure_text(),
        ResultStatus::Success => summary(),
    };
    let line = text.trim().replace("\r\n", " ").replace('\n', " ");
    match line.char_indices().nth(MOST_OUTCOME) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line,
    }
}

/// The time up to which the time of a call is not worth a word.
const SHORT: Duration = Duration::from_millis(100);

/// The time from which the limit of a command is shown, and the columns that this needs.
const LONG: Duration = Duration::from_secs(5);
const WIDE: usize = 40;

/// The number of calls that have a row.
const MOST_ROWS: usize = 8;

/// The number of lines of output below the row of a call.
const LIVE_OUTPUT: usize = 3;

/// The number of lines of output that are kept.
const MOST_OUTPUT: usize = 40;

/// The number of characters of an outcome that are shown.
const MOST_OUTCOME: usize = 300;

#[cfg(test)]
mod tests;
