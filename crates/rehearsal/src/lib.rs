//! A model that follows simple rules, for a first run and for tests: it writes wire text and calls
//! real tools.
//!
//! ```toml
//! [dependencies]
//! futures-util = "0.3"
//! silcrow-event = "0.1"
//! silcrow-parser = "0.1"
//! silcrow-provider = "0.1"
//! silcrow-rehearsal = "0.1"
//! tokio = { version = "1", features = ["macros", "rt"] }
//! ```
//!
//! ```
//! use futures_util::StreamExt as _;
//! use silcrow_event::{Message, Role};
//! use silcrow_parser::Dialect;
//! use silcrow_provider::{Delta, Provider as _, Request};
//! use silcrow_rehearsal::Rehearsal;
//!
//! #[tokio::main(flavor = "current_thread")]
//! async fn main() {
//!     let model = Rehearsal::new(Dialect::Sigil.into(), None, 7);
//!     let ask = vec![Message::new(Role::User, "What is in src?")];
//!     let mut deltas = model.stream(Request::new(ask));
//!     let mut text = String::new();
//!     while let Some(delta) = deltas.next().await {
//!         if let Delta::Text(piece) = delta.unwrap() {
//!             text.push_str(&piece);
//!         }
//!     }
//!     assert!(text.contains(r#"§call: {"name": "file_list", "args": {"path":"src"}}"#), "{text}");
//! }
//! ```
//!
//! It writes wire text like any other model, and a run parses, stores and shows this text as usual.
//! It has no state: each answer depends only on the messages of its request. Its rules are in one
//! table. If no rule fits, the answer says so and explains how to use a language model.
//!
//! It does not understand language, and opens no files or sockets. It can call the tools
//! `file_list`, `file_read`, `file_search` and `file_write`, and depends only on their arguments
//! and the form of their results. In the dialect `action` all of its calls are `async` and
//! independent of each other.

mod markdown;
mod rehearsal;
mod report;
mod rules;
mod task;
mod wish;
mod words;

pub use rehearsal::Rehearsal;
