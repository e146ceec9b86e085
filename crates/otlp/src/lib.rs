//! Turns the events of an agent's run, or a stored log, into OpenTelemetry traces and metrics.
//!
//! ```toml
//! [dependencies]
//! silcrow-event = "0.1"
//! silcrow-otlp = "0.1"
//! ```
//!
//! ```
//! use silcrow_event::{Call, CallResult, Entry, Event, RunEventRef, Timestamp};
//! use silcrow_otlp::{Resource, TraceExport, TraceOptions, TraceReader};
//!
//! let mut reader = TraceReader::new("sums", TraceOptions::default());
//! let events = [
//!     Event::user("2 + 2?"),
//!     Event::Call(Call::parse("a1", r#"{"name":"add","args":{"a":2,"b":2}}"#).unwrap()),
//!     Event::Result(CallResult::success("a1", "add", "4", "4")),
//! ];
//! for (event, second) in events.into_iter().zip(1..) {
//!     let timestamp = Some(Timestamp::from_nanos(second * 1_000_000_000));
//!     let entry = Entry { timestamp, turn: Some(1), ..Entry::from(event) };
//!     reader.push(RunEventRef::Entry(&entry));
//! }
//! reader.finish();
//! let spans = reader.take_spans();
//! let names: Vec<_> = spans.iter().map(|span| &*span.name).collect();
//! assert_eq!(names, ["execute_tool add", "chat", "invoke_agent silcrow"]);
//!
//! let export = TraceExport { resource: &Resource::new("silcrow"), spans: &spans };
//! assert!(export.to_json().contains(r#""name":"execute_tool add""#));
//! assert!(!export.to_protobuf().is_empty());
//! ```
//!
//! A run is a span `invoke_agent`. In it, each request to a model is a span `chat`, and each call a
//! span `execute_tool`. The spans of an agent or workflow are below the call that runs it:
//!
//! ```text
//! events of a run ─┐                                  ┌─► TraceExport ──► protobuf or JSON
//!                  ├─► TraceReader ─► TraceSpan ──────┤
//! a stored log ────┘                                  └─► MetricRecorder ─► MetricExport
//! ```
//!
//! All times and ids are derived from the events, so reading a log twice gives the same trace.
//! Names follow the semantic conventions for generative AI ([`SemanticVocabulary`]).
//!
//! # What it does not do
//!
//! - It does no I/O and has no clock; `silcrow-otlp-http` sends the spans.
//! - It never fails: an event without a time gets the time of the event before.
//! - It does not guess: logs contain neither model names nor token counts, so neither do the spans
//!   of logs.

#![warn(clippy::disallowed_types)]

mod attribute;
mod export;
mod histogram;
mod json;
mod message;
mod metrics;
mod names;
mod options;
mod protobuf;
mod reader;
mod resource;
mod span;
mod writer;

pub use attribute::{Attribute, AttributeValue};
pub use export::{MetricExport, TraceExport};
pub use metrics::MetricRecorder;
pub use names::SemanticVocabulary;
pub use options::{RequestFacts, TraceOptions};
pub use reader::TraceReader;
pub use resource::Resource;
pub use span::{SpanKind, TraceSpan};
