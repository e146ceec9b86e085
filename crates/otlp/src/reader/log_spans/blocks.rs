//! The control blocks of a turn as spans: below the run, and above the calls in them.
//!
//! This module tracks when blocks begin and end; others track requests.

use silcrow_event::{
    BlockChange, BlockTracker, Event, ResultStatus, SpanId, Timestamp, TraceContext,
};

use super::{LogSpans, Reading};
use crate::names;
use crate::span::TraceSpan;

/// The blocks of the turn that is read.
#[derive(Debug, Default)]
pub(super) struct TurnBlocks {
    turn: u32,
    rows: BlockTracker,
    open: Vec<UnfinishedBlock>,
}

#[derive(Debug)]
struct UnfinishedBlock {
    row: String,
    kind: &'static str,
    context: TraceContext,
    parent: Option<SpanId>,
    start: Timestamp,
}

/// A change that owns its names.
enum SpanChange {
    Began { row: String, kind: &'static str, parent: Option<String> },
    Ended { row: String, outcome: Option<(ResultStatus, String)> },
}

impl TurnBlocks {
    /// Returns the span that a call is in, unless that is the run.
    pub(super) fn parent_of(&self, call: &str) -> Option<SpanId> {
        self.rows.row_of(call).and_then(|row| self.span_of(row))
    }

    fn span_of(&self, row: &str) -> Option<SpanId> {
        self.open.iter().find(|open| open.row == row).map(|open| open.context.span)
    }
}

impl LogSpans {
    /// Takes an event before anything else does: blocks begin.
    pub(super) fn begin_blocks(&mut self, event: &Event, reading: &mut Reading<'_>) {
        if !matches!(event, Event::Block(_) | Event::Call(_)) {
            return;
        }
        if reading.turn > self.blocks.turn {
            self.finish_blocks(reading);
            self.blocks.turn = reading.turn;
        }
        self.change_blocks(reading, |rows, to| rows.before(event, to));
    }

    /// Takes the event once everything else has taken it: blocks end.
    pub(super) fn end_blocks(&mut self, event: &Event, reading: &mut Reading<'_>) {
        if reading.turn == self.blocks.turn && !self.blocks.rows.is_empty() {
            self.change_blocks(reading, |rows, to| rows.after(event, to));
        }
    }

    /// Ends the blocks of a turn that is over.
    pub(super) fn finish_blocks(&mut self, reading: &mut Reading<'_>) {
        self.change_blocks(reading, BlockTracker::finish);
    }

    fn change_blocks(
        &mut self,
        reading: &mut Reading<'_>,
        change: impl FnOnce(&mut BlockTracker, &mut dyn FnMut(BlockChange<'_>)),
    ) {
        let mut changes = Vec::new();
        change(&mut self.blocks.rows, &mut |change| changes.push(SpanChange::from_change(change)));
        for change in changes {
            match change {
                SpanChange::Began { row, kind, parent } => {
                    let (trace, run) = self.here(reading);
                    let parent = parent.and_then(|parent| self.blocks.span_of(&parent)).or(run);
                    let turn = self.blocks.turn;
                    let context = TraceContext::of_block(trace, &self.conversation, turn, &row);
                    let start = reading.time;
                    self.blocks.open.push(UnfinishedBlock { row, kind, context, parent, start });
                }
                SpanChange::Ended { row, outcome } => {
                    let at = self.blocks.open.iter().position(|open| open.row == row);
                    let Some(open) = at.map(|at| self.blocks.open.remove(at)) else { continue };
                    let span = open.into_span(outcome, reading.time, self.blocks.turn);
                    let span = span.in_conversation(&self.conversation);
                    reading.push(span);
                }
            }
        }
    }
}

impl UnfinishedBlock {
    fn into_span(
        self,
        outcome: Option<(ResultStatus, String)>,
        end: Timestamp,
        turn: u32,
    ) -> TraceSpan {
        let operation = names::BLOCK_OPERATION;
        let mut span = TraceSpan::new(self.context, self.parent, operation, Some(&self.row));
        span.name = format!("{} {}", self.kind, self.row);
        span.set_times(self.start, end);
        span.set_attribute(names::BLOCK, self.kind);
        span.set_attribute(names::BLOCK_ID, self.row);
        span.set_attribute(names::TURN, u64::from(turn));
        if let Some((status, summary)) = outcome {
            if !summary.is_empty() {
                span.set_attribute(names::BLOCK_OUTCOME, summary);
            }
            if status == ResultStatus::Failure {
                span.fail("framework", None);
            }
        }
        span
    }
}

impl SpanChange {
    fn from_change(change: BlockChange<'_>) -> Self {
        match change {
            BlockChange::Began { row, kind, parent } => {
                Self::Began { row: row.to_owned(), kind, parent: parent.map(str::to_owned) }
            }
            BlockChange::Ended { row, result } => {
                let outcome = result.map(|result| {
                    let summary = result.payload.as_ref().map(|payload| payload.summary.clone());
                    (result.status(), summary.unwrap_or_default())
                });
                Self::Ended { row: row.to_owned(), outcome }
            }
        }
    }
}
