//! Reads what a model writes, in any dialect or native form by its name, as events of one schema.
//!
//! The bindings of other languages are thin over this crate: they pass chunks in and events out.
//!
//! ```
//! use silcrow_reading::{FormReader, ReadEvent, ReaderOptions};
//!
//! let options = ReaderOptions::parse(r#"{"form": "sigil"}"#)?;
//! let mut reader = FormReader::new(options);
//! let mut events = Vec::new();
//! let mut take = |event: ReadEvent<'_>| events.push(event.to_json());
//! for chunk in ["§thi", "nk: easy\n§respond: It is", " 4.\n§end"] {
//!     reader.push(chunk.as_bytes(), &mut take);
//! }
//! reader.finish(&mut take);
//! assert_eq!(
//!     events,
//!     [
//!         r#"{"type":"think","content":"easy"}"#,
//!         r#"{"type":"respond","content":"It is 4."}"#,
//!         r#"{"type":"end"}"#,
//!     ],
//! );
//! # Ok::<(), silcrow_reading::WrongOptions>(())
//! ```
//!
//! ```text
//! bytes ─► decoder ─► parser of a dialect, or of native forms ─┬─► pieces of text, at once (chunks)
//!                                                              └─► joiner ─► whole events
//! ```
//!
//! Wherever the bytes are cut, the events are the same, and the joined pieces too (L-1). Nothing that a
//! model writes is an error (L-7): anything odd is an event `error`. The JSON of events is that of section 8
//! of the protocol.
//!
//! # What it does not do
//!
//! - It runs no calls and asks no model: `silcrow-agent` does.
//! - It has no clock: events have no time.
//! - It does not guess the form of a text.

#![warn(clippy::disallowed_types)]

mod options;
mod read_event;
mod reader;
mod writing;

pub use options::{ReaderOptions, WireForm, WrongOptions};
pub use read_event::ReadEvent;
pub use reader::FormReader;
pub use writing::{families, write_events, write_grammar};
