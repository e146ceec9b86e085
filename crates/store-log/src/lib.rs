//! The embedded store of silcrow: append-only files that any number of processes share.
//!
//! ```toml
//! [dependencies]
//! silcrow-event = "0.1"
//! silcrow-store = "0.1"
//! silcrow-store-log = "0.1"
//! tempfile = "3"
//! tokio = { version = "1", features = ["macros", "rt"] }
//! ```
//!
//! ```
//! use silcrow_event::Event;
//! use silcrow_store::Store as _;
//! use silcrow_store_log::{LogStore, Options};
//!
//! #[tokio::main(flavor = "current_thread")]
//! async fn main() {
//!     let dir = tempfile::tempdir().unwrap();
//!     let store = LogStore::open(dir.path(), Options::default()).await.unwrap();
//!     store.append("c1", 0, vec![Event::user("hello").into()]).await.unwrap();
//!
//!     // Another process would open it in the same way, at the same time.
//!     let other = LogStore::open(dir.path(), Options::default()).await.unwrap();
//!     assert_eq!(other.list(None).await.unwrap()[0].title, "hello");
//! }
//! ```
//!
//! ```text
//! append ─► queue (1,024) ─► writer thread: lock, catch up, compare, write, sync, mark ─► acknowledged
//! read   ─► reader thread: catch up to the mark, read, check
//!
//! DIR/FORMAT  the version of the format
//! DIR/IDENTITY which store it is, and which version made it (`identity.rs`)
//! DIR/LOCK    is locked while a group of changes is written
//! DIR/MARK    how far the log is acknowledged
//! DIR/CHECKPOINT what the log adds up to at a position (`checkpoint.rs`)
//! DIR/holds/  which process runs a conversation (`hold.rs`)
//! DIR/offers/ runs that their process has left to others (`offer.rs`)
//! DIR/log/    the segments: records, one after the other (`frame.rs`, `record.rs`)
//! DIR/index/  the search index of a large log, kept by sled (`index.rs`)
//! ```
//!
//! The segments are the source of truth, and everything else can be rebuilt from them. Nothing in
//! them is ever truncated or overwritten: damage is reported, and everything after it stays
//! readable.
//!
//! The store does not encrypt anything, and attaches no meaning to events. [The page on
//! reliability](https://github.com/silcrow/silcrow/blob/main/docs/reliability.md) lists its
//! guarantees and their tests.

mod backup;
mod begin;
mod bytes;
mod checkpoint;
mod checkpoint_owners;
mod commit;
mod compact;
mod conversation_log;
mod event_places;
mod fault;
mod file;
mod file_bytes;
mod file_identity;
mod files;
mod folder;
mod frame;
mod frame_place;
mod hold;
mod identity;
mod index;
mod known_checkpoint;
mod link;
mod list;
mod list_order;
mod lock;
mod log;
mod maintain;
mod mark;
mod mend;
mod names;
mod offer;
mod open_files;
mod options;
mod owned_records;
mod owners;
mod placed;
mod read;
mod read_ahead;
mod record;
mod recover;
mod rewrite;
mod runs;
mod scan;
mod segments;
mod shared;
mod stage;
mod store;
mod store_id;
mod trust;
mod verify;
mod view;
mod watch;
mod worker;
mod writer;

pub use backup::Backup;
pub use compact::Compaction;
pub use mend::Mended;
pub use options::{Durability, Options};
pub use recover::DamageWatch;
pub use store::LogStore;
pub use trust::check;
