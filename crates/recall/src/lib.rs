//! The tool `recall`, which searches a user's other conversations.
//!
//! ```toml
//! [dependencies]
//! silcrow-event = "0.1"
//! silcrow-tool = "0.1"
//! silcrow-recall = "0.1"
//! silcrow-store = "0.1"
//! tokio = { version = "1", features = ["macros", "rt"] }
//! ```
//!
//! ```
//! use silcrow_event::{Entry, Event};
//! use silcrow_recall::Recall;
//! use silcrow_store::{MemoryStore, Store as _};
//! use silcrow_tool::{CallContext, Scope, Tool as _, ToolArgs};
//!
//! #[tokio::main(flavor = "current_thread")]
//! async fn main() {
//!     let store = MemoryStore::new();
//!     let of = |user: &str, text: &str| Entry {
//!         user: Some(user.to_owned()),
//!         ..Event::user(text).into()
//!     };
//!     store.append("old", 0, vec![of("ann", "The port is 8081.")]).await.unwrap();
//!     store.append("foreign", 0, vec![of("bob", "My port is 22.")]).await.unwrap();
//!
//!     let recall = Recall::new(store);
//!     let context = CallContext::new(Scope::new("now").with_user("ann"), "a1");
//!     let output = recall.call(ToolArgs::new(r#"{"query":"port"}"#), &context).await.unwrap();
//!     assert_eq!(output.summary, "found 1 message");
//!     assert!(output.content.text().contains("The port is 8081."));
//! }
//! ```
//!
//! The tool finds the user's messages and the models' answers, ranks them, and returns a few
//! hundred characters of each, with the date, the conversation's id and the position. Given an id
//! and a position, it reads the surrounding messages.
//!
//! ```text
//! query ─► terms ─► candidates of the store ─► ranked by BM25 ─► rows
//!          forms    those of the user, at      rare words,       several conversations,
//!                   most some hundreds         titles, recency   nothing twice
//! ```
//!
//! A word matches its other forms in English and German, words that begin with it or contain it,
//! and parts of names such as `file_read` and `fooBar`. Case and accents are ignored, and a query
//! has no operators. Words such as *the* hardly count. Among equally good matches the newest comes
//! first.
//!
//! The call's context determines the user, and no argument can name another; a call without a user
//! finds conversations without one. The current conversation is left out, along with the
//! conversations its calls opened, except for the part that a summary has replaced, because the
//! model no longer reads it. A fork shares its beginning with the original: the shared part is left
//! out, and later messages of the original are found. Deleted messages are not found. Another
//! user's conversation gives the same error as one that does not exist.
//!
//! This crate keeps no index: any [`Store`](silcrow_store::Store) holds and searches the
//! conversations. If a word is very frequent, only its newest messages are ranked. The search is by
//! words, not by meaning, and skips thoughts, calls and results. Results were written by a person
//! or a model at another time. They are JSON, so no text in them can pass for another message, and
//! a notice says that they are not instructions; that does not stop a model from obeying them.

mod date;
mod language;
mod matches;
mod parts;
mod past;
mod rank;
mod recall;
mod rows;
mod snippet;
mod terms;

pub use recall::Recall;
