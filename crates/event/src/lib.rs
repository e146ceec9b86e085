//! The data types of silcrow: events, fragments, diagnostics, calls, results, messages, and their
//! JSON.
//!
//! ```toml
//! [dependencies]
//! silcrow-event = "0.1"
//! ```
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
//! A log holds one [`Entry`] a line, which a program in any language can read:
//!
//! ```
//! use silcrow_event::{Event, read_entry};
//!
//! fn main() -> Result<(), silcrow_event::ReadEntryError> {
//!     let log = r#"{"type":"user","content":"What is 2 + 2?","turn":1,"seq":1}
//! {"type":"call","id":"a1","content":"{\"name\":\"add\",\"args\":{\"a\":2,\"b\":2}}","turn":1,"seq":2}
//! {"type":"result","id":"a1","content":"4","payload":{"tool":"add","status":"success"},"turn":1,"seq":3}
//! {"type":"respond","content":"It is 4.","turn":1,"seq":4}"#;
//!     let mut shown = Vec::new();
//!     for line in log.lines() {
//!         match read_entry(line)?.event {
//!             Event::User { content, .. } => shown.push(format!("> {}", content.text())),
//!             Event::Call(call) => shown.push(format!("{} {}", call.name(), call.args())),
//!             Event::Result(result) => shown.push(result.content.text().into_owned()),
//!             Event::Respond(respond) => shown.push(respond.content),
//!             _ => {}
//!         }
//!     }
//!     assert_eq!(shown, ["> What is 2 + 2?", r#"add {"a":2,"b":2}"#, "4", "It is 4."]);
//!     Ok(())
//! }
//! ```
//!
//! An [`Event`] is a complete unit of a conversation, such as a call or an answer. An [`Entry`] is
//! an event with its time and position in a log. A [`Fragment`] is a piece of an event that is
//! still being written, and a [`Diagnostic`] reports something odd in the wire text, which is the
//! text the model writes. A [`Message`] is part of a request to a model, and a run emits
//! [`RunEvent`]s while it works.
//!
//! This crate contains data types and their JSON. It does no I/O, has no clock, parses no wire
//! text and runs nothing.

#![warn(clippy::disallowed_types)]

mod action;
mod approval;
mod batch;
mod block_mark;
mod block_tracker;
mod call;
mod call_changes;
mod call_parse_error;
mod call_result;
mod call_transition;
mod closed_sets;
mod compensation;
mod content;
mod context_summary;
mod control_block;
mod data_mark;
mod diagnostic;
mod digits;
mod entry;
mod error_chain;
mod event;
mod fields;
mod fragment;
mod grant;
mod hook_run;
mod json;
mod media_ref;
mod mend;
mod message;
mod message_list;
mod money;
mod native_part;
mod opaque;
mod origin;
mod parked;
mod person_command;
mod plain_text;
mod preview_diff;
mod read;
mod rejection;
mod result_fold;
mod result_status;
mod run_event;
mod run_event_line;
mod scan;
mod seconds;
mod spending;
mod timestamp;
mod trace_context;
mod trace_of_log;
mod trace_parent;
mod truncation;
mod unknown_word;
mod usage;

pub use action::{ActionAttributes, CallKind, CallMode, Compensation, OnError};
pub use approval::{Approval, ApprovalState};
pub use batch::ResultBatch;
pub use block_mark::BlockMark;
pub use block_tracker::{BlockChange, BlockReceiver, BlockTracker};
pub use call::{Call, CallMember, InvalidCall};
pub use call_changes::{CallChanges, DeltaKind, FileDelta};
pub use call_parse_error::CallParseError;
pub use call_result::{CallResult, KeptValue, ResultOrigin, ResultPayload};
pub use call_transition::{CallEnd, CallTransition};
pub use content::{Content, ContentPart};
pub use context_summary::{ContextSummary, KeptOutput, SummaryAuthor};
pub use control_block::{ControlBlock, ControlKind, ParallelJoin};
pub use data_mark::{DataKey, DataMark};
pub use diagnostic::{Diagnostic, DiagnosticKind};
pub use entry::{Entry, LogPosition, RunOpening};
pub use error_chain::error_chain;
pub use event::{ErrorEvent, ErrorOrigin, Event, Metric, Progress, Respond, Think, ThoughtOrigin};
pub use fields::ReadEntryError;
pub use fragment::{CallTextFragment, Fragment, TextFragment, TextKind};
pub use grant::{Grant, Grants, ParseGrantError};
pub use hook_run::{HookEffect, HookRun};
pub use json::Json;
pub use media_ref::MediaRef;
pub use mend::{JsonMend, MendedJson, mend_json};
pub use message::{Message, Role};
pub use message_list::{GrowingMessages, MessageList, MessagePrefix};
pub use money::{Money, ParseMoneyError};
pub use native_part::{NativeCall, NativeResult};
pub use opaque::OpaqueData;
pub use origin::{BranchPoint, ConversationOrigin};
pub use parked::{OpenQuestion, Parked};
pub use person_command::PersonCommand;
pub use preview_diff::{FileDiff, PreviewDiff};
pub use read::read_entry;
pub use rejection::rejects_answer;
pub use result_fold::ResultFold;
pub use result_status::ResultStatus;
pub use run_event::{ApprovalPrompt, CallTextPiece, RunEvent, RunEventRef, TextPiece};
pub use run_event_line::read_run_event;
pub use seconds::{Seconds, TimeParseError};
pub use spending::{AccountBalance, Balances, Spending, SpendingLimit};
pub use timestamp::Timestamp;
pub use trace_context::{SpanId, TraceContext, TraceId};
pub use trace_parent::TraceParent;
pub use truncation::Truncation;
pub use unknown_word::UnknownWord;
pub use usage::Usage;
