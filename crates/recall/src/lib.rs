//! The tool `recall`, which searches the other conversations of a user.
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
//! # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
//! use silcrow_event::{Entry, Event};
//! use silcrow_recall::Recall;
//! use silcrow_store::{MemoryStore, Store as _};
//! use silcrow_tool::{CallContext, Scope, Tool as _, ToolArgs};
//!
//! let store = MemoryStore::new();
//! let of = |user: &str, text: &str| Entry {
//!     user: Some(user.to_owned()),
//!     ..Event::user(text).into()
//! };
//! store.append("old", 0, vec![of("ann", "The port is 8081.")]).await.unwrap();
//! store.append("foreign", 0, vec![of("bob", "My port is 22.")]).await.unwrap();
//!
//! let recall = Recall::new(store);
//! let context = CallContext::new(Scope::new("now").with_user("ann"), "a1");
//! let output = recall.call(ToolArgs::new(r#"{"query":"port"}"#), &context).await.unwrap();
//! assert_eq!(output.summary, "found 1 message");
//! assert!(output.content.text().contains("The port is 8081."));
//! # });
//! ```
//!
//! The tool finds messages of the user and answers of models, ranks them, and returns a few hundred
//! characters of each with the date, the id of the conversation and the position in it. With the id
//! and the position it reads the messages around.
//!
//! ```text
//! query ─► terms ─► candidates of the store ─► ranked by BM25 ─► rows
//!          forms    those of the user, at      rare words,       several conversations,
//!                   most some hundreds         titles, recency   nothing twice
//! ```
//!
//! A word matches its other forms in English and German, words that begin with it or contain it, and
//! parts of names such as `file_read` and `fooBar`; case and accents do not count, and nothing in a
//! query is an operator. Words such as *the* hardly count. Of messages that match equally well the
//! newest comes first.
//!
//! The user is the one of the call's context, and no argument can name another. A call without a
//! user finds the conversations that have none. The conversation of the call is left out, with
//! those that its calls opened, except for what a summary replaces in it: the model no longer reads
//! that. A fork shares its beginning with the conversation that it was forked
//! from: what the current conversation shares with another one is left out, and what came later in
//! the other one is found. Deleted messages are not found any more. A conversation of somebody else and
//! one that does not exist have the same error.
//!
//! This crate keeps nothing: any [`Store`](silcrow_store::Store) has the conversations and searches
//! them. If very many messages have a word, only the newest of them are ranked. It looks for words,
//! not for meaning, and not in thoughts, calls or results. Its results were written by a person or
//! a model at another time: they are JSON, so that no text in it can be taken for another message, and a
//! notice says that they are not instructions, which does not stop a model from obeying it.

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
