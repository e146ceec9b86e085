//! A relic that keeps JSON values by key, between calls and between runs.
//!
//! ```toml
//! [dependencies]
//! silcrow-tool = "0.1"
//! silcrow-key-value = "0.1"
//! silcrow-store = "0.1"
//! tokio = { version = "1", features = ["macros", "rt"] }
//! ```
//!
//! ```
//! # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
//! use silcrow_key_value::KeyValue;
//! use silcrow_store::MemoryStore;
//! use silcrow_tool::{CallContext, Tool as _, ToolArgs};
//!
//! let notes = KeyValue::new("notes", "Keeps notes.", MemoryStore::new());
//! let context = CallContext::new("c", "a1");
//! let call = async |args| notes.call(ToolArgs::new(args), &context).await.unwrap().content;
//! call(r#"{"operation":"set","key":"a","value":[1,2],"ttl":3600}"#).await;
//! assert_eq!(call(r#"{"operation":"get","key":"a"}"#).await, "[1,2]");
//! # });
//! ```
//!
//! A relic is a tool that keeps something between calls and between runs. This one keeps JSON
//! values by key, and has the operations `get`, `set`, `delete` and `list`. Each user has separate
//! values, and the conversations without a user share theirs. A value with a `ttl` expires after
//! that number of seconds. Concurrent writers do not overwrite each other's values.
//!
//! A `set` or `delete` whose process ended before its result was stored is repeated when the
//! conversation continues. It never replaces what somebody else has set meanwhile: a call writes
//! down which version it changes before it does so, and a repeated one that finds another version
//! fails and says so. These notes belong to the conversation and are deleted with it.
//!
//! The values are kept in any [`Store`](silcrow_store::Store), beside the conversations. This crate
//! has no separate storage, runs no background task, and touches no files. It does not encrypt
//! values, and it stores values in groups: an expired value stays in the store until its group is
//! written again.

mod buckets;
mod changing_call;
mod clock;
mod failed;
mod key_value;
mod owner;

pub use key_value::KeyValue;
