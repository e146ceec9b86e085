//! Parses a model's text, in any dialect or native form by its name, into events of one schema.
//!
//! The bindings of other languages are thin layers over this crate: chunks go in, events come out.
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
//! However the bytes are cut, the events are the same, and so are the joined pieces (L-1). Parsing
//! never fails (L-7): anything odd is an event `error`. Section 8 of the protocol defines the
//! events' JSON.
//!
//! # What it does not do
//!
//! - It runs no calls and asks no model; `silcrow-agent` does.
//! - It has no clock, so events have no time.
//! - It does not guess a text's form.

#![warn(clippy::disallowed_types)]

mod options;
mod read_event;
mod reader;
mod writing;

pub use options::{ReaderOptions, WireForm, WrongOptions};
pub use read_event::ReadEvent;
pub use reader::FormReader;
pub use writing::{families, write_events, write_grammar};
