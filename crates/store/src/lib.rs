//! Stores conversations: an append-only log of events for each, and versioned values.
//!
//! ```toml
//! [dependencies]
//! silcrow-event = "0.1"
//! silcrow-store = "0.1"
//! tokio = { version = "1", features = ["macros", "rt"] }
//! ```
//!
//! ```
//! use silcrow_event::Event;
//! use silcrow_store::{MemoryStore, Store as _};
//!
//! #[tokio::main(flavor = "current_thread")]
//! async fn main() {
//!     let store = MemoryStore::new();
//!     let head = store.append("c1", 0, vec![Event::user("hello").into()]).await.unwrap();
//!     assert_eq!(head, 1);
//!
//!     let entries = store.read("c1", 1..=head).await.unwrap();
//!     assert_eq!(entries[0].event, Event::user("hello"));
//! }
//! ```
//!
//! An append names the head that it expects, so concurrent writers never mix, and a follower sees
//! every event exactly once (this program also uses `futures-util`):
//!
//! ```
//! use futures_util::StreamExt as _;
//! use silcrow_event::Event;
//! use silcrow_store::{ErrorKind, MemoryStore, Store as _};
//!
//! #[tokio::main(flavor = "current_thread")]
//! async fn main() -> Result<(), silcrow_store::Error> {
//!     let store = MemoryStore::new();
//!     let mut entries = store.follow("c1", 0);
//!     store.append("c1", 0, vec![Event::user("hello").into()]).await?;
//!
//!     let late = store.append("c1", 0, vec![Event::user("hello?").into()]).await.unwrap_err();
//!     assert_eq!(late.kind(), ErrorKind::Conflict);
//!     store.append("c1", 1, vec![Event::respond("Hi.").into()]).await?;
//!
//!     assert_eq!(entries.next().await.unwrap()?.event, Event::user("hello"));
//!     assert_eq!(entries.next().await.unwrap()?.event, Event::respond("Hi."));
//!     Ok(())
//! }
//! ```
//!
//! To add a store, implement [`Store`] in a crate that depends on this one, on `silcrow-event` for
//! the events, and on `futures-util` for boxed streams and futures. [`validate`], [`spaces`] and
//! [`HeadWatchers`] contain code that every store needs, [`MemoryStore`] is the simplest example,
//! and [`conformance`] tests an implementation.
//!
//! Other functions work with any store: [`transfer`] exports and imports its contents as lines of
//! JSON, [`Fork`] starts a conversation with the history of another, and [`verify`] and [`search`]
//! have implementations for stores without a faster one.
//!
//! This crate writes no files; `silcrow-store-log` does. It encrypts nothing, and attaches no
//! meaning to events.

pub mod conformance;
mod error;
mod fold;
mod fork;
mod heads;
mod hold;
pub mod imported;
mod list_page;
pub mod media;
mod memory;
mod open_calls;
mod process_holds;
pub mod search;
mod shared_runs;
pub mod spaces;
mod store;
mod summary;
pub mod transfer;
pub mod validate;
pub mod verify;

pub use error::{Error, ErrorKind};
pub use fork::Fork;
pub use heads::HeadWatchers;
pub use hold::{HeldConversation, Hold};
pub use list_page::{ListPage, ListPlace};
pub use memory::MemoryStore;
pub use open_calls::OpenCalls;
pub use process_holds::ProcessHolds;
pub use shared_runs::{HeldRun, Holder, MAX_ORDER, SharedRuns, StoreCount, WaitingRun};
pub use store::{Store, Versioned};
pub use summary::Summary;
