//! Where conversations live: an append-only log of events for each, and values beside it.
//!
//! ```toml
//! [dependencies]
//! silcrow-event = "0.1"
//! silcrow-store = "0.1"
//! tokio = { version = "1", features = ["macros", "rt"] }
//! ```
//!
//! ```
//! # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
//! use silcrow_event::Event;
//! use silcrow_store::{MemoryStore, Store as _};
//!
//! let store = MemoryStore::new();
//! let head = store.append("c1", 0, vec![Event::user("hello").into()]).await.unwrap();
//! assert_eq!(head, 1);
//!
//! let entries = store.read("c1", 1..=head).await.unwrap();
//! assert_eq!(entries[0].event, Event::user("hello"));
//! # });
//! ```
//!
//! An implementor depends on this crate, on `silcrow-event` for what is kept, and on `futures-util`
//! for streams and futures in boxes: [`rules`] and [`HeadWatchers`] are the parts that every store would
//! write in the same way, and [`conformance`] is how it proves itself.
//!
//! Beside the trait stand functions over it: [`transfer`] exports and imports any store as lines of
//! JSON, [`verify`] and [`search`] are what a store does that has nothing better of its own.
//!
//! This crate writes no file; `silcrow-store-sled` does. It knows nothing of what events mean to a
//! model.

pub mod conformance;
mod error;
mod heads;
pub mod imported;
mod memory;
mod open_calls;
pub mod rules;
pub mod search;
mod store;
pub mod transfer;
pub mod verify;

pub use error::{Error, ErrorKind};
pub use heads::HeadWatchers;
pub use memory::MemoryStore;
pub use open_calls::OpenCalls;
pub use store::{Store, Summary, Versioned};
