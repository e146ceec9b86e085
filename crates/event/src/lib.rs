//! The words of silcrow: events, fragments, notes, calls, outcomes, messages, and their JSON.
//!
//! ```
//! use silcrow_event::{Call, Event};
//!
//! let call = Call::parse("a1", r#"{"name": "file_read", "args": {"file": "main.rs"}}"#).unwrap();
//! assert_eq!(call.name(), "file_read");
//! assert_eq!(call.args(), r#"{"file": "main.rs"}"#);
//!
//! let line = Event::Call(call).to_json();
//! assert!(line.starts_with(r#"{"type":"call","id":"a1","content":"#));
//! ```
//!
//! An [`Event`] is a complete unit of a conversation, an [`Entry`] is an event with its place and
//! time in a log, a [`Fragment`] is a piece of an event that is still being written, and a
//! [`Note`] is something odd that a reader of the log should know.
//!
//! This crate holds words and no behaviour: it does no I/O, knows no clock, reads no wire text
//! and runs nothing.

mod action;
mod batch;
mod call;
mod entry;
mod event;
mod fragment;
mod json;
mod message;
mod note;
mod outcome;
mod read;
mod scan;
mod truncation;
mod usage;

pub use action::{Action, Kind, Mode, OnError};
pub use batch::Batch;
pub use call::{BadCall, Call, Invalid, Member};
pub use entry::{Entry, Opening, Place};
pub use event::{
    Approval, Decision, Event, Fault, Metric, Origin, Progress, Respond, Scope, Think,
};
pub use fragment::{CallText, Fragment, Text, Voice};
pub use json::Json;
pub use message::{Message, Role};
pub use note::{Note, Oddity};
pub use outcome::{Outcome, Payload, ResultOrigin, Status};
pub use read::{Unreadable, read_entry};
pub use truncation::Truncation;
pub use usage::Usage;
