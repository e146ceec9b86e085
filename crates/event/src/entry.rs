//! Entries of a log: events with their time and position.
//!
//! This module writes an entry as JSON. Reading one is in `read`, and numbering them is up to the
//! store.

use crate::event::Event;
use crate::json::{Json, Object};
use crate::origin::ConversationOrigin;
use crate::timestamp::Timestamp;
use crate::trace_parent::TraceParent;

/// An event with its time and its position in a log.
///
/// An entry that was read from elsewhere may lack any field except the event.
///
/// ```
/// use silcrow_event::{Entry, Event};
///
/// let entry = Entry { turn: Some(1), seq: Some(2), ..Event::respond("4").into() };
/// assert_eq!(entry.to_json(), r#"{"type":"respond","content":"4","turn":1,"seq":2}"#);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "section 8 of the protocol names its members")]
pub struct Entry {
    /// The event.
    pub event: Event,
    /// The time. In JSON it is a number of seconds since 1970.
    pub timestamp: Option<Timestamp>,
    /// The number, from 1, of the model's answer that this entry belongs to in its conversation.
    pub turn: Option<u32>,
    /// The position in the log, from 1. An entry that is not stored repeats the position of the
    /// last stored one.
    pub seq: Option<u64>,
    /// The run that this entry opens. It is on the first entry of a run, and on the first entry of
    /// each agent that another agent calls.
    pub opening: Option<RunOpening>,
    /// The conversation that this one comes from. It is on the first entry of a conversation that
    /// began as a fork or as a replay of another.
    pub origin: Option<ConversationOrigin>,
    /// The path of the agent or workflow that this entry is from: the names of those that calls
    /// run, the outermost first, joined by `/`. `None` for the run's own agent.
    pub agent_path: Option<String>,
    /// The author of a `user` event, if the caller named one.
    pub user: Option<String>,
    /// The folder that the run of a `user` event worked in, as an absolute path, if there is one.
    pub folder: Option<String>,
}

/// The conversation and the run that a stream of events belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "section 8 of the protocol names its members")]
pub struct RunOpening {
    /// The conversation's id.
    pub conversation: String,
    /// The run's id.
    pub run: String,
    /// The span of the program that began the run, if it named one.
    pub caller: Option<TraceParent>,
}

/// The time and position of something that is not itself an entry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "section 8 of the protocol names its members")]
pub struct LogPosition {
    /// The time, as in [`Entry::timestamp`].
    pub timestamp: Option<Timestamp>,
    /// The number of the answer, as in [`Entry::turn`].
    pub turn: Option<u32>,
    /// The position, as in [`Entry::seq`].
    pub seq: Option<u64>,
}

impl LogPosition {
    /// Appends the members of an object that has others, each with its comma.
    pub(crate) fn write_json(&self, out: &mut String) {
        if let Some(time) = self.timestamp {
            out.push_str(r#","timestamp":"#);
            time.write_json(out);
        }
        if let Some(turn) = self.turn {
            out.push_str(r#","turn":"#);
            Json::write_integer(out, turn.into());
        }
        if let Some(seq) = self.seq {
            out.push_str(r#","seq":"#);
            Json::write_integer(out, seq);
        }
    }

    /// Writes the members of an object that has others.
    pub(crate) fn write(&self, to: &mut Object<'_>) {
        to.members(|out| self.write_json(out));
    }
}

impl Entry {
    /// Returns the entry as a JSON object on one line that begins with `type`.
    /// [`read_entry`](crate::read_entry) reads it.
    pub fn to_json(&self) -> String {
        let mut out = String::with_capacity(128);
        let mut object = Object::open(&mut out);
        self.event.write(&mut object);
        self.write_place(&mut object);
        object.close();
        out
    }

    fn write_place(&self, to: &mut Object<'_>) {
        LogPosition { timestamp: self.timestamp, turn: self.turn, seq: self.seq }.write(to);
        if let Some(opening) = &self.opening {
            to.string("conversation", &opening.conversation);
            to.string("run", &opening.run);
            if let Some(caller) = &opening.caller {
                to.string("traceparent", &caller.to_string());
            }
        }
        if let Some(origin) = &self.origin {
            origin.write(to);
        }
        if let Some(path) = &self.agent_path {
            to.string("agent_path", path);
        }
        if let Some(user) = &self.user {
            to.string("user", user);
        }
        if let Some(folder) = &self.folder {
            to.string("folder", folder);
        }
    }
}

impl From<Event> for Entry {
    /// Creates an entry without time and position.
    fn from(event: Event) -> Self {
        Self {
            event,
            timestamp: None,
            turn: None,
            seq: None,
            opening: None,
            origin: None,
            agent_path: None,
            user: None,
            folder: None,
        }
    }
}
