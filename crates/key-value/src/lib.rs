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
//! use silcrow_key_value::KeyValue;
//! use silcrow_store::MemoryStore;
//! use silcrow_tool::{CallContext, Tool as _, ToolArgs};
//!
//! #[tokio::main(flavor = "current_thread")]
//! async fn main() {
//!     let notes = KeyValue::new("notes", "Keeps notes.", MemoryStore::new());
//!     let context = CallContext::new("c", "a1");
//!     let call = async |args| notes.call(ToolArgs::new(args), &context).await.unwrap().content;
//!     call(r#"{"operation":"set","key":"a","value":[1,2],"ttl":3600}"#).await;
//!     assert_eq!(call(r#"{"operation":"get","key":"a"}"#).await, "[1,2]");
//! }
//! ```
//!
//! A relic is a tool that keeps something between calls and runs; this one keeps JSON values by
//! key, with the operations `get`, `set`, `delete` and `list`. Values are separate for each user,
//! and conversations without a user share one set. A value with a `ttl` expires after that many
//! seconds. Concurrent writers do not overwrite each other's values.
//!
//! If the process of a `set` or `delete` ends before its result is stored, the call is repeated
//! when the conversation continues. The repetition never overwrites a value that somebody else has
//! set meanwhile: a call records which version it is about to change, and a repetition that finds
//! another version fails and says so. These records belong to the conversation and are deleted with
//! it.
//!
//! Any [`Store`](silcrow_store::Store) holds the values, beside the conversations. This crate has
//! no storage, background task or files apart from that. It does not encrypt values. It stores them
//! in groups, so an expired value stays in the store until its group is written again.

mod buckets;
mod changing_call;
mod clock;
mod failed;
mod key_value;
mod owner;

pub use key_value::KeyValue;
