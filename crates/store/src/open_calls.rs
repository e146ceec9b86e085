//! The calls of a log without a result.
//!
//! This module matches results with calls.

use std::collections::{BTreeMap, BTreeSet};

use silcrow_event as event;

/// The calls of a log without a result, found from its entries in any order.
///
/// `T` is the part of each call that the caller keeps.
///
/// ```
/// use silcrow_event::{Call, CallResult, Entry, Event};
/// use silcrow_store::OpenCalls;
///
/// let call = |id| Event::Call(Call::parse(id, r#"{"name":"build"}"#).unwrap());
/// let result = Event::Result(CallResult::success("a1", "build", "", "done"));
/// let mut open = OpenCalls::default();
/// for entry in [call("a1"), call("a2"), result].map(Entry::from) {
///     open.apply(&entry, |call| call.name().to_owned());
/// }
/// let open: Vec<_> = open.into_calls().collect();
/// assert_eq!(open, [(0, "a2".to_owned(), "build".to_owned())]);
/// ```
#[derive(Debug)]
pub struct OpenCalls<T> {
    open: BTreeMap<u32, Vec<(String, T)>>,
    answered: BTreeMap<u32, BTreeSet<String>>,
    /// Turns with results that name no call. Such results answer every call of their turn, because
    /// the results of a turn are stored together.
    closed: BTreeSet<u32>,
}

impl<T> Default for OpenCalls<T> {
    fn default() -> Self {
        Self { open: BTreeMap::new(), answered: BTreeMap::new(), closed: BTreeSet::new() }
    }
}

impl<T> OpenCalls<T> {
    /// Takes an entry of the log into account. `keep` returns the part of a call to keep.
    pub fn apply<'a>(&mut self, entry: &'a event::Entry, keep: impl FnOnce(&'a event::Call) -> T) {
        let turn = entry.turn.unwrap_or_default();
        match &entry.event {
            event::Event::Call(call) => {
                let answered = self.answered.get(&turn);
                let is_answered = answered.is_some_and(|ids| ids.contains(call.id()));
                if !is_answered && !self.closed.contains(&turn) {
                    let kept = (call.id().to_owned(), keep(call));
                    self.open.entry(turn).or_default().push(kept);
                }
            }
            event::Event::Result(event::CallResult { id: Some(id), .. }) => {
                if let Some(calls) = self.open.get_mut(&turn) {
                    calls.retain(|(call, _)| call != id);
                }
                self.answered.entry(turn).or_default().insert(id.clone());
            }
            event::Event::Result(_) | event::Event::Batch(_) => {
                self.open.remove(&turn);
                self.closed.insert(turn);
            }
            _ => {}
        }
    }

    /// Returns the turn, the id and the kept value of each open call, by turn and in the order of
    /// the log.
    pub fn into_calls(self) -> impl Iterator<Item = (u32, String, T)> {
        let of_turn = |(turn, calls): (u32, Vec<(String, T)>)| {
            calls.into_iter().map(move |(id, kept)| (turn, id, kept))
        };
        self.open.into_iter().flat_map(of_turn)
    }
}
