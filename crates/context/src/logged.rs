//! An event as a log has it.

use silcrow_event::{Entry, Event, Timestamp};

/// An event of a log, with the number of its turn if the log has it.
#[derive(Clone, Copy, Debug)]
pub struct LoggedEvent<'a> {
    pub(crate) event: &'a Event,
    pub(crate) turn: Option<u32>,
    pub(crate) time: Option<Timestamp>,
}

impl<'a> From<&'a Event> for LoggedEvent<'a> {
    fn from(event: &'a Event) -> Self {
        Self { event, turn: None, time: None }
    }
}

impl<'a> From<&'a Entry> for LoggedEvent<'a> {
    fn from(entry: &'a Entry) -> Self {
        Self { event: &entry.event, turn: entry.turn, time: entry.timestamp }
    }
}
