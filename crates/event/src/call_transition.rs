//! The transitions of a call between its own event and its result, and its end.
//!
//! Nothing of it is stored: it is for observers of a run. Only a start and a recorded result have a
//! JSON form.
//!
//! ```text
//! Ready ──► Started or Recorded ──► Ended, and Bound if its output has a name
//!   ▲          │
//!   └─ Paused ◄┘
//! ```
//!
//! A call may end from any of these, and one that never starts has no start.

use std::borrow::Cow;

use crate::entry::LogPosition;
use crate::json::{Json, Object};

/// A change in the state of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CallTransition<'a> {
    /// An attempt may start: it waits only for approval and a free slot. The event of the call is
    /// already stored.
    Ready {
        /// The call's id.
        id: Cow<'a, str>,
        /// The number of the attempt, from 1.
        attempt: u32,
        /// The arguments, a JSON object, with outputs in place of names (P-26).
        args: Cow<'a, str>,
    },
    /// An attempt starts: the call and the mark that it was started are stored, and its tool runs.
    Started {
        /// The call's id.
        id: Cow<'a, str>,
        /// The number of the attempt, from 1.
        attempt: u32,
        /// The arguments, a JSON object, with outputs in place of names (P-26).
        args: Cow<'a, str>,
    },
    /// The call gets a recorded result, because the run replays a conversation. Its tool does not
    /// run.
    Recorded {
        /// The call's id.
        id: Cow<'a, str>,
    },
    /// An attempt failed, and another follows after a pause.
    Paused {
        /// The call's id.
        id: Cow<'a, str>,
    },
    /// The call has ended. An entry with its result follows.
    Ended {
        /// The call's id.
        id: Cow<'a, str>,
        /// The way in which it ended.
        end: CallEnd,
        /// The content of its result, unless it ended well.
        reason: Option<Cow<'a, str>>,
    },
    /// The output of a call has a name from here on (P-26).
    Bound {
        /// The name, without the `$`.
        name: Cow<'a, str>,
        /// The output.
        value: Cow<'a, Json>,
    },
}

/// The way in which a call has ended. Each call ends exactly once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "a call ends in one of four ways")]
pub enum CallEnd {
    /// The call succeeded.
    Ok,
    /// The last attempt failed, or the call could never start.
    Failed,
    /// A call that it waits for did not succeed, or it was written after the final response.
    Skipped,
    /// The call was cancelled.
    Cancelled,
}

impl CallTransition<'_> {
    /// Returns the start of an attempt, or that a call gets a recorded result, as a JSON object on
    /// one line, with a time and a position; `None` for other transitions, which follow from the events around them.
    ///
    /// ```
    /// use silcrow_event::{CallTransition, LogPosition};
    ///
    /// let started =
    ///     CallTransition::Started { id: "a1".into(), attempt: 1, args: r#"{"n":4}"#.into() };
    /// let json = r#"{"type":"started","id":"a1","attempt":1,"args":"{\"n\":4}"}"#;
    /// assert_eq!(started.to_json(&LogPosition::default()).unwrap(), json);
    /// ```
    pub fn to_json(&self, place: &LogPosition) -> Option<String> {
        let mut out = String::with_capacity(96);
        let mut object = Object::open(&mut out);
        match self {
            Self::Started { id, attempt, args } => {
                object.string("type", "started");
                object.string("id", id);
                object.integer("attempt", (*attempt).into());
                object.string("args", args);
            }
            Self::Recorded { id } => {
                object.string("type", "recorded");
                object.string("id", id);
            }
            _ => return None,
        }
        place.write(&mut object);
        object.close();
        Some(out)
    }

    /// Returns the same transition with a copy of everything that it borrows.
    pub fn into_owned(self) -> CallTransition<'static> {
        fn owned(text: Cow<'_, str>) -> Cow<'static, str> {
            Cow::Owned(text.into_owned())
        }
        match self {
            Self::Ready { id, attempt, args } => {
                CallTransition::Ready { id: owned(id), attempt, args: owned(args) }
            }
            Self::Started { id, attempt, args } => {
                CallTransition::Started { id: owned(id), attempt, args: owned(args) }
            }
            Self::Recorded { id } => CallTransition::Recorded { id: owned(id) },
            Self::Paused { id } => CallTransition::Paused { id: owned(id) },
            Self::Ended { id, end, reason } => {
                CallTransition::Ended { id: owned(id), end, reason: reason.map(owned) }
            }
            Self::Bound { name, value } => {
                CallTransition::Bound { name: owned(name), value: Cow::Owned(value.into_owned()) }
            }
        }
    }
}

impl CallEnd {
    /// Returns the word for it: `ok`, `failed`, `skipped` or `cancelled`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Failed => "failed",
            Self::Skipped => "skipped",
            Self::Cancelled => "cancelled",
        }
    }
}
