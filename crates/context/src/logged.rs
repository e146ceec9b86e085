//! An event as a log has it.

use silcrow_event::{Entry, Event, Timestamp};

/// An event of a log, with the number of its turn if the log has it.
///
/// ```
/// use silcrow_context::{LoggedEvent, assemble};
/// use silcrow_event::{Entry, Event};
/// use silcrow_parser::Dialect;
///
/// // Both an event and an entry, which has a turn and a time, can be assembled.
/// let event = Event::user("2 + 2?");
/// let entry = Entry { turn: Some(1), ..Entry::from(Event::respond("4")) };
/// let log = [LoggedEvent::from(&event), LoggedEvent::from(&entry)];
/// assert_eq!(assemble(log, Dialect::Sigil).len(), 2);
/// ```
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
