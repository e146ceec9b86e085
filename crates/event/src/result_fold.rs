//! The results of a run's batches, folded into one event each, for readers who want that form.
//!
//! This module decides which results form one batch.

use crate::batch::ResultBatch;
use crate::call_result::CallResult;
use crate::entry::Entry;
use crate::event::Event;

/// Folds the results of each batch of a run into one event with `tools_executed`, `success_count` and
/// `failure_count` (section 8 of the protocol).
///
/// Results are held until something follows the batch: the usage of the step, a notice, the end, a
/// stop or another turn. They are in the order of their calls. A log keeps single results, and the
/// events of agents and workflows that calls run stay as they are.
///
/// ```
/// use silcrow_event::{Call, CallResult, Entry, Event, ResultFold};
///
/// let mut fold = ResultFold::default();
/// let mut shown = Vec::new();
/// for event in [
///     Event::Call(Call::parse("a1", r#"{"name":"file_list"}"#).unwrap()),
///     Event::Result(CallResult::success("a1", "file_list", "", "a.rs")),
///     Event::End,
/// ] {
///     fold.push(&Entry::from(event), &mut |entry| shown.push(entry.event.to_json()));
/// }
/// assert!(shown[1].contains(r#""payload":{"tools_executed":1,"success_count":1,"failure_count":0}"#));
/// assert_eq!(shown.len(), 3);
/// ```
#[derive(Clone, Debug, Default)]
pub struct ResultFold {
    /// The ids of the calls of the turn, in order.
    calls: Vec<String>,
    turn: Option<u32>,
    held: Vec<CallResult>,
    /// The last result, with its time and place.
    last: Option<Entry>,
}

impl ResultFold {
    /// Takes the next entry of a run, and emits the entries that are ready.
    pub fn push(&mut self, entry: &Entry, emit: &mut dyn FnMut(&Entry)) {
        if entry.agent_path.is_some() {
            return emit(entry);
        }
        let is_of_turn = entry.turn == self.turn;
        let ends_batch = matches!(
            entry.event,
            Event::Metric(_)
                | Event::Notice { .. }
                | Event::End
                | Event::Interrupt { .. }
                | Event::Cancelled { .. }
                | Event::Parked(_)
        ) || matches!(&entry.event, Event::Error(fault) if fault.at.is_none());
        if !is_of_turn || ends_batch {
            self.finish(emit);
        }
        if !is_of_turn {
            self.turn = entry.turn;
            self.calls.clear();
        }
        match &entry.event {
            Event::Call(call) => self.calls.push(call.id().to_owned()),
            Event::Respond(respond) => self.calls.extend(respond.malformed.clone()),
            Event::Result(result) => {
                self.held.push(result.clone());
                self.last = Some(entry.clone());
                return;
            }
            _ => {}
        }
        emit(entry);
    }

    /// Passes on the results that are still held, at the end of a run.
    pub fn finish(&mut self, emit: &mut dyn FnMut(&Entry)) {
        let Some(last) = self.last.take() else { return };
        let mut results = std::mem::take(&mut self.held);
        let place = |result: &CallResult| {
            let id = result.id.as_deref();
            self.calls.iter().position(|call| Some(&**call) == id).unwrap_or(usize::MAX)
        };
        results.sort_by_cached_key(place);
        emit(&Entry { event: Event::Batch(ResultBatch::fold(&results)), ..last });
    }
}
