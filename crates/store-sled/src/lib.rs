//! A reader of the store of earlier versions of silcrow, which sled kept.
//!
//! ```toml
//! [dependencies]
//! silcrow-store = "0.1"
//! silcrow-store-sled = "0.1"
//! ```
//!
//! ```no_run
//! use silcrow_store::verify::Report;
//! use silcrow_store_sled::SledReader;
//!
//! # fn main() -> Result<(), silcrow_store::Error> {
//! let old = SledReader::open("old-store")?;
//! let mut report = Report::default();
//! for conversation in old.conversations(&mut report)? {
//!     for entry in old.events(&conversation.id)? {
//!         println!("{}: {}", conversation.id, entry?.to_json());
//!     }
//! }
//! for (space, key) in old.keys(&mut report)? {
//!     let value = old.value(&space, &key)?;
//!     println!("{space} {key}: {value:?}");
//! }
//! println!("{} places are damaged", report.damage.len());
//! # Ok(())
//! # }
//! ```
//!
//! ```text
//! DIR/FORMAT    the version of the format
//! DIR/LOCK      is locked while a process has the store open
//! DIR/MARK      how many groups of changes the store has at least
//! DIR/data/     sled's files: the trees ev, meta, part and value (`keys.rs`)
//! DIR/reading/  a copy of them, while the store is read
//! ```
//!
//! The command `silcrow log migrate` reads old stores with this crate. New stores are those of
//! `silcrow-store-log`.
//!
//! This crate is no store: nothing can be appended, put or deleted. It repairs nothing, and names
//! what is damaged, so that the rest can be read. It leaves the files as they are, except for the
//! lock, and a compaction that was interrupted, which it completes. sled opens a copy of its files,
//! because it writes to them and cuts them off where they are damaged. The copy is in the folder of
//! the store while it is read, and takes as much room as the files.
//!
//! Every function blocks, and a panic of sled becomes an error.

mod data_copy;
mod engine;
mod events;
mod fault;
mod folder;
mod guard;
mod keys;
mod link;
mod lock;
mod mark;
mod reader;
mod record;
mod side_files;
mod summary;
mod trust;

pub use events::SledEvents;
pub use reader::{SledConversation, SledReader};
