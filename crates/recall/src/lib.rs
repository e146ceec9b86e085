//! The tool `recall`, which searches the other conversations of a user.
//!
//! ```toml
//! [dependencies]
//! silcrow-event = "0.1"
//! silcrow-exec = "0.1"
//! silcrow-recall = "0.1"
//! silcrow-store = "0.1"
//! tokio = { version = "1", features = ["macros", "rt"] }
//! ```
//!
//! ```
//! # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
//! use silcrow_event::{Entry, Event};
//! use silcrow_exec::{CallContext, Scope, Tool as _, ToolArgs};
//! use silcrow_recall::Recall;
//! use silcrow_store::{MemoryStore, Store as _};
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
//! The tool finds messages of the user and answers of models that have the words, those with most
//! of the words first, and returns a few hundred characters of each with the date, the id of the
//! conversation and the position in it. With the id and the position it reads the messages around.
//!
//! The user is the one of the call's context, and no argument can name another. A call without a
//! user finds the conversations that have none. The conversation of the call is left out, with
//! those that its calls opened. What is deleted is not found any more. A conversation of somebody
//! else and one that does not exist have the same error.
//!
//! This crate keeps nothing: any [`Store`](silcrow_store::Store) has the conversations and searches
//! them. It looks for words and parts of words, not for meaning, and not in thoughts, calls or
//! results. What it returns was written by a person or a model at another time: a notice says so,
//! and does not stop a model from obeying it.

mod date;
mod past;
mod recall;
mod snippet;

pub use recall::Recall;
