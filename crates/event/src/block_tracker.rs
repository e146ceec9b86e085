//! The rows of control blocks: when each block, and each item of a loop, begins and ends, and which calls
//! are in it.
//!
//! ```text
//! marks, calls, results of a turn ──► foreach each    began
//!                                       each[0]       began, with the call each[0].save
//!                                       each[0]       ended
//!                                     foreach each    ended
//! ```
//!
//! The events of a turn give the same rows, whether they are live or from a log.

use crate::action::OnError;
use crate::block_mark::BlockMark;
use crate::call::Call;
use crate::call_result::CallResult;
use crate::control_block::ControlKind;
use crate::event::Event;
use crate::result_status::ResultStatus;

/// Follows the control blocks of a turn (P-29 to P-32).
///
/// A block ends with its result, or with the last result in it if it succeeds without one. A loop inside
/// of a loop has a row for each item around it.
///
/// ```
/// use silcrow_event::{BlockChange, BlockMark, BlockTracker, Call, CallResult, Event};
///
/// let mut rows = BlockTracker::default();
/// let mut seen = Vec::new();
/// let mark = r#"{"type":"block","part":"begin","id":"all","block":"parallel"}"#;
/// let begin = silcrow_event::read_entry(mark).unwrap().event;
/// let call = Event::Call(Call::parse("a", r#"{"name":"add"}"#).unwrap());
/// let end = Event::Block(BlockMark::End { id: "all".to_owned() });
/// let result = Event::Result(CallResult::success("a", "add", "", "4"));
/// for event in [begin, call, end, result] {
///     rows.before(&event, &mut |change| seen.push(format!("{change:?}")));
///     rows.after(&event, &mut |change| seen.push(format!("{change:?}")));
/// }
/// assert_eq!(seen, [
///     r#"Began { row: "all", kind: "parallel", parent: None }"#,
///     r#"Ended { row: "all", result: None }"#,
/// ]);
/// ```
#[derive(Debug, Default)]
pub struct BlockTracker {
    rows: Vec<BlockRow>,
    /// The blocks that are being written, the outermost first, each with whether it is a loop or in one.
    written: Vec<(String, bool)>,
    /// The loops of the turn, by their ids as they are written, each with whether another one is in it.
    loops: Vec<(String, bool)>,
}

/// A change of a row.
#[derive(Clone, Copy, Debug, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "a row begins and ends")]
pub enum BlockChange<'a> {
    /// A block, or an item of a loop, begins.
    Began {
        /// The id of the row, which is unique in the turn: the id of the block, or one such as
        /// `each[0]`.
        row: &'a str,
        /// The kind of the block, such as `foreach`; `item` for an item of a loop.
        kind: &'static str,
        /// The row that it is in.
        parent: Option<&'a str>,
    },
    /// A block, or an item of a loop, ends.
    Ended {
        /// The id of the row.
        row: &'a str,
        /// The result of the block, if it has one.
        result: Option<&'a CallResult>,
    },
}

/// Receives the changes of rows.
pub type BlockReceiver<'a> = dyn FnMut(BlockChange<'_>) + 'a;

/// The kind of the row of an item.
const ITEM: &str = "item";

#[derive(Debug)]
struct BlockRow {
    id: String,
    kind: &'static str,
    parent: Option<String>,
    /// Whether all of its contents are known: its end was written.
    is_complete: bool,
    /// The calls in it that have no result, each with whether it may fail.
    calls: Vec<(String, bool)>,
    /// Whether a call in it failed that may not, so that it has a result itself.
    has_failed: bool,
}

impl BlockTracker {
    /// Takes the turn's next event before all other receivers, and begins rows.
    pub fn before(&mut self, event: &Event, to: &mut BlockReceiver<'_>) {
        match event {
            Event::Block(BlockMark::Begin(block)) => {
                let is_loop = matches!(block.kind, ControlKind::ForEach { .. });
                let parent = self.written.last().cloned();
                let is_inside = parent.as_ref().is_some_and(|(_, is_inside)| *is_inside);
                if is_loop {
                    let around = |id: &String| self.written.iter().any(|(open, _)| open == id);
                    let outer = self.loops.iter_mut().filter(|(id, _)| around(id));
                    outer.for_each(|(_, has_inner)| *has_inner = true);
                    self.loops.push((block.id.clone(), false));
                }
                if block.kind.has_body() {
                    if !is_inside {
                        let parent = parent.map(|(id, _)| id);
                        self.begin(block.id.clone(), block.kind.as_str(), parent, to);
                    }
                    self.written.push((block.id.clone(), is_inside || is_loop));
                }
            }
            Event::Call(call) => self.call(call, to),
            _ => {}
        }
    }

    /// Takes the same event after all other receivers, and ends rows.
    pub fn after(&mut self, event: &Event, to: &mut BlockReceiver<'_>) {
        match event {
            Event::Block(BlockMark::End { id }) => {
                while let Some((ended, _)) = self.written.pop() {
                    if let Some(row) = self.rows.iter_mut().find(|row| row.id == ended) {
                        row.is_complete = true;
                    }
                    if ended == *id {
                        break;
                    }
                }
                self.end_complete(to);
            }
            Event::Result(result) => {
                let Some(id) = &result.id else { return };
                if self.rows.iter().any(|row| row.id == *id) {
                    self.end(id, Some(result), to);
                }
                for row in &mut self.rows {
                    let Some(at) = row.calls.iter().position(|(call, _)| call == id) else {
                        continue;
                    };
                    let (_, may_fail) = row.calls.remove(at);
                    row.has_failed |= !may_fail && has_failed(result);
                }
                self.end_complete(to);
            }
            _ => {}
        }
    }

    /// Ends all rows, because the turn is over.
    pub fn finish(&mut self, to: &mut BlockReceiver<'_>) {
        while let Some(row) = self.rows.pop() {
            to(BlockChange::Ended { row: &row.id, result: None });
        }
        (self.written, self.loops) = Default::default();
    }

    /// Returns the row that a call is in.
    pub fn row_of(&self, call: &str) -> Option<&str> {
        let has = |row: &&BlockRow| row.calls.iter().any(|(id, _)| id == call);
        self.rows.iter().rev().find(has).map(|row| &*row.id)
    }

    /// Returns whether no row is open.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Takes a call, which is in the block that is being written, or in items of loops.
    fn call(&mut self, call: &Call, to: &mut BlockReceiver<'_>) {
        let is_undo = call.action().is_some_and(|action| action.undoes.is_some());
        let place = match call.is_instance() {
            true => self.items(call.id(), to),
            false if is_undo => None,
            false => self.written.last().map(|(id, _)| id.clone()),
        };
        let Some(place) = place else { return };
        if let Some(row) = self.rows.iter_mut().find(|row| row.id == place) {
            let on_error = call.action().and_then(|action| action.on_error);
            row.calls.push((call.id().to_owned(), on_error == Some(OnError::Skip)));
        }
    }

    /// Begins the rows of the items that a call is for, from the outermost, and returns the last one.
    fn items(&mut self, call: &str, to: &mut BlockReceiver<'_>) -> Option<String> {
        let mut place: Option<String> = None;
        let mut at = 0;
        loop {
            let rest = &call[at..];
            let found = self.loops.iter().find_map(|(id, _)| {
                let after = rest.strip_prefix(&**id)?.strip_prefix('[')?;
                let (number, _) = after.split_once("].")?;
                number.bytes().all(|byte| byte.is_ascii_digit()).then(|| {
                    let name = at + id.len();
                    (name, name + number.len() + 2)
                })
            });
            let Some((name, end)) = found else { return place };
            let inner = call[..name].to_owned();
            if !self.has(&inner) {
                self.begin(inner.clone(), ControlKind::FOR_EACH, place, to);
            }
            let item = call[..end].to_owned();
            if !self.has(&item) {
                self.begin(item.clone(), ITEM, Some(inner), to);
            }
            (place, at) = (Some(item), end + 1);
        }
    }

    fn has(&self, id: &str) -> bool {
        self.rows.iter().any(|row| row.id == id)
    }

    fn begin(
        &mut self,
        id: String,
        kind: &'static str,
        parent: Option<String>,
        to: &mut BlockReceiver<'_>,
    ) {
        to(BlockChange::Began { row: &id, kind, parent: parent.as_deref() });
        let (is_complete, calls, has_failed) = (false, Vec::new(), false);
        self.rows.push(BlockRow { id, kind, parent, is_complete, calls, has_failed });
    }

    /// Ends a row and all rows in it, the innermost first.
    fn end(&mut self, id: &str, result: Option<&CallResult>, to: &mut BlockReceiver<'_>) {
        let inner = self.rows.iter().rposition(|row| row.parent.as_deref() == Some(id));
        if let Some(inner) = inner {
            let inner = self.rows[inner].id.clone();
            self.end(&inner, None, to);
            return self.end(id, result, to);
        }
        let Some(at) = self.rows.iter().position(|row| row.id == id) else { return };
        self.rows.remove(at);
        to(BlockChange::Ended { row: id, result });
    }

    /// Ends the blocks that are complete and have no open call or row in them. A loop has a result that
    /// ends it, and so has a block in which something failed.
    fn end_complete(&mut self, to: &mut BlockReceiver<'_>) {
        loop {
            let is_complete = |row: &BlockRow| match row.kind {
                ITEM => self.knows_item(row),
                ControlKind::FOR_EACH => false,
                _ => row.is_complete && !row.has_failed,
            };
            let is_over = |row: &&BlockRow| {
                is_complete(row)
                    && row.calls.is_empty()
                    && !self.rows.iter().any(|other| other.parent.as_ref() == Some(&row.id))
            };
            let Some(over) = self.rows.iter().find(is_over) else { return };
            let id = over.id.clone();
            self.end(&id, None, to);
        }
    }

    /// Returns whether all calls for an item are known: its loop is written, and has no loop in it, whose
    /// calls come later.
    fn knows_item(&self, item: &BlockRow) -> bool {
        let outer = self.rows.iter().find(|row| Some(&row.id) == item.parent.as_ref());
        let is_simple = |outer: &BlockRow| {
            self.loops.iter().any(|(id, has_inner)| *id == outer.id && !has_inner)
        };
        outer.is_some_and(|outer| outer.is_complete && is_simple(outer))
    }
}

/// Returns whether a result makes the block fail that its call is in.
fn has_failed(result: &CallResult) -> bool {
    let summary = result.payload.as_ref().map_or("", |payload| &payload.summary);
    result.status() == ResultStatus::Failure && !matches!(summary, "skipped" | "cancelled")
}
