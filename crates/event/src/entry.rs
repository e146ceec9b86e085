use crate::event::Event;
use crate::json::Object;

/// An event with its time and its place in a log.
///
/// Entries read from elsewhere may lack any of it.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::exhaustive_structs, reason = "section 8 of the protocol names its members")]
pub struct Entry {
    /// What happened.
    pub event: Event,
    /// In seconds since 1970.
    pub timestamp: Option<f64>,
    /// The number, from 1, of the model's answer in the conversation that it belongs to.
    pub turn: Option<u32>,
    /// Its position in the log, from 1; what is not stored repeats the last.
    pub seq: Option<u64>,
    /// Which run this opens: on a run's first event, and on each of an agent's that another called.
    pub opening: Option<RunOpening>,
    /// Of what an agent or a workflow does that a call runs: the names from the outermost to it,
    /// with `/` between them.
    pub agent_path: Option<String>,
    /// Whose words a `user` event holds, where that was told.
    pub user: Option<String>,
}

/// Which conversation and which run a stream of events belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "section 8 of the protocol names its members")]
pub struct RunOpening {
    /// The conversation's id.
    pub conversation: String,
    /// The run's id.
    pub run: String,
}

/// When and where in a log something happens that has no entry of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[expect(clippy::exhaustive_structs, reason = "section 8 of the protocol names its members")]
pub struct LogPosition {
    /// As [`Entry::timestamp`].
    pub timestamp: Option<f64>,
    /// As [`Entry::turn`].
    pub turn: Option<u32>,
    /// As [`Entry::seq`].
    pub seq: Option<u64>,
}

impl LogPosition {
    pub(crate) fn write(&self, to: &mut Object<'_>) {
        if let Some(seconds) = self.timestamp {
            to.float("timestamp", seconds);
        }
        if let Some(turn) = self.turn {
            to.integer("turn", turn.into());
        }
        if let Some(seq) = self.seq {
            to.integer("seq", seq);
        }
    }
}

impl Entry {
    /// One JSON object on one line, `type` first; [`read_entry`](crate::read_entry) reads it.
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
        }
        if let Some(path) = &self.agent_path {
            to.string("agent_path", path);
        }
        if let Some(user) = &self.user {
            to.string("user", user);
        }
    }
}

impl From<Event> for Entry {
    /// An event without time and place.
    fn from(event: Event) -> Self {
        Self {
            event,
            timestamp: None,
            turn: None,
            seq: None,
            opening: None,
            agent_path: None,
            user: None,
        }
    }
}
