//! The embedded store of silcrow, on sled: what it acknowledges has been synced to the disk.
//!
//! ```toml
//! [dependencies]
//! silcrow-event = "0.1"
//! silcrow-store = "0.1"
//! silcrow-store-sled = "0.1"
//! tempfile = "3"
//! tokio = { version = "1", features = ["macros", "rt"] }
//! ```
//!
//! ```
//! # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
//! use silcrow_event::Event;
//! use silcrow_store::Store as _;
//! use silcrow_store_sled::{Options, SledStore};
//!
//! let dir = tempfile::tempdir().unwrap();
//! let store = SledStore::open(dir.path(), Options::default()).await.unwrap();
//! store.append("c1", 0, vec![Event::user("hello").into()]).await.unwrap();
//! drop(store);
//!
//! let store = SledStore::open(dir.path(), Options::default()).await.unwrap();
//! assert_eq!(store.list(None).await.unwrap()[0].title, "hello");
//! # });
//! ```
//!
//! ```text
//! append ─► queue (1,024) ─► writer thread: compare, apply, flush, sync ─► acknowledged
//! read   ─► a blocking thread: what is acknowledged, checked by its checksum
//!
//! DIR/FORMAT  the version of the format   DIR/LOCK  is locked while open, names the process
//! DIR/MARK    the least number of groups of changes that the store must have
//! DIR/RESERVE room to open the store on a full disk
//! DIR/data/   sled's own files            trees: ev, meta, part, value (`keys.rs`)
//! ```
//!
//! The folder and everything in it must belong to one user, and nothing in it may be a link.
//!
//! Only one process at a time can have a store open. The store repairs nothing: it reports damage
//! with its place, and the rest stays readable.
//! [The page on reliability](https://github.com/silcrow/silcrow/blob/main/docs/reliability.md) says
//! what the store promises, and what is not tested yet.

mod check;
mod clock;
mod compact;
mod crc;
mod engine;
mod fault;
mod folder;
mod guard;
mod keys;
mod link;
mod lock;
mod mark;
mod meta;
mod pending;
mod read;
mod record;
mod reserve;
mod snapshot;
mod stage;
mod store;
mod trust;
mod writer;

pub use compact::Compacted;
pub use store::{Options, SledDurability, SledStore};
pub use trust::check;
