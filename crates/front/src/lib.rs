//! Encodes the events of an agent's run for front ends: web pages, chat clients and editors.
//!
//! ```toml
//! [dependencies]
//! silcrow-event = "0.1"
//! silcrow-front = "0.1"
//! ```
//!
//! ```
//! use silcrow_event::{Entry, Event, RunEventRef};
//! use silcrow_front::{NativeEncoder, RunEncoder, RunEnd};
//!
//! let mut encoder = NativeEncoder::new();
//! let mut out = String::new();
//! encoder.begin(&mut out);
//! let events = [Event::user("2 + 2?"), Event::respond("Four.")];
//! for (event, seq) in events.into_iter().zip(1..) {
//!     let entry = Entry { seq: Some(seq), turn: Some(1), ..Entry::from(event) };
//!     encoder.encode(RunEventRef::Entry(&entry), &mut out);
//! }
//! encoder.end(&RunEnd::Answered, &mut out);
//! assert!(out.starts_with("id: 1.0\ndata: {\"type\":\"user\",\"content\":\"2 + 2?\""));
//! ```
//!
//! A run emits pieces and whole events, and a log keeps the whole ones. [`TranscriptReader`] turns
//! either into the model that all protocols of front ends share: texts and calls that begin, grow
//! and end under an id. An encoder writes them in its protocol:
//!
//! ```text
//! events of a run ─┐                                         ┌─► NativeEncoder
//!                  ├─► TranscriptReader ─► TranscriptChange ─┼─► AgUiEncoder
//! a stored log ────┘                                         ├─► AiSdkEncoder
//!                                                            ├─► ChatCompletionsEncoder
//!                                                            └─► ResponsesEncoder
//! ```
//!
//! Every encoder is a [`RunEncoder`], so a server needs one loop for all protocols:
//!
//! ```
//! use silcrow_event::{Entry, Event, RunEventRef};
//! use silcrow_front::{AiSdkEncoder, AiSdkTarget, NativeEncoder, RunEncoder, RunEnd};
//!
//! let log: Vec<_> = [Event::user("2 + 2?"), Event::respond("Four.")].map(Entry::from).into();
//! let encoders: [Box<dyn RunEncoder>; 2] = [
//!     Box::new(NativeEncoder::new()),
//!     Box::new(AiSdkEncoder::new(AiSdkTarget::V6, "sums")),
//! ];
//! for mut encoder in encoders {
//!     let mut out = String::new();
//!     encoder.begin(&mut out);
//!     for entry in &log {
//!         encoder.encode(RunEventRef::Entry(entry), &mut out);
//!     }
//!     encoder.end(&RunEnd::Answered, &mut out);
//!     assert!(out.contains("Four."), "{out}");
//! }
//! ```
//!
//! An encoder can skip events that a client already has, and so continue from any position of a
//! log.
//!
//! # What it does not do
//!
//! - It does no I/O, runs no agent and has no clock.
//! - It never fails: if a protocol has no equivalent of an event, the event is left out.
//! - It does not speak HTTP: it reads the bodies of requests and writes the bodies of responses.

#![warn(clippy::disallowed_types)]

mod ag_ui;
mod ai_sdk;
mod args_text;
mod call_title;
mod changed_files;
mod chat_completions;
mod chat_headers;
mod client_file;
mod client_history;
mod client_tool_names;
mod client_tools;
mod encoder;
mod error_text;
mod held_space;
mod json_object;
mod native;
mod openai;
mod piece_frame;
mod question_links;
mod question_text;
mod responses;
mod short_reason;
mod sse;
mod transcript;

pub use ag_ui::{
    AgUiAnswer, AgUiContext, AgUiDecision, AgUiEdit, AgUiEncoder, AgUiKnownMessage, AgUiMessage,
    AgUiRequest, AgUiRequestError, AgUiRole, ag_ui_messages,
};
pub use ai_sdk::{
    AI_SDK_HEADERS, AiSdkAction, AiSdkApproval, AiSdkEncoder, AiSdkMessageId, AiSdkRequest,
    AiSdkRequestError, AiSdkTarget, AiSdkUserMessage, ai_sdk_messages,
};
pub use call_title::call_title;
pub use chat_completions::{ChatCompletionsEncoder, CompletionHead, CompletionRequest};
pub use chat_headers::ChatHeaders;
pub use client_file::{ClientFile, prompt_words};
pub use client_history::{HistoryMatch, match_history};
pub use client_tool_names::ClientToolNames;
pub use client_tools::{
    ClientCallId, ClientResult, ClientTool, ClientTools, OpenClientCall, open_client_calls,
};
pub use encoder::{RunEncoder, RunEnd};
pub use native::NativeEncoder;
pub use openai::{
    AnswerForm, ClientMessage, ClientRole, ClientWishes, OpenAiError, OpenAiErrorKind, model_list,
};
pub use question_links::QuestionLinks;
pub use question_text::{loop_question_text, question_text};
pub use responses::{
    ApprovalAnswer, CallItems, ResponseHead, ResponseInput, ResponseRequest, ResponsesEncoder,
};
pub use short_reason::short_reason;
pub use transcript::{
    CalledAgent, ChangeReceiver, SectionKind, TranscriptChange, TranscriptReader,
};
