//! Snapshots of a root, which allow undoing changes that commands make to files.
//!
//! `look` reads a tree, `entry` compares two looks, `store` keeps contents, `folder` manages a
//! snapshot's place and the running commands, `recording` turns differences into a record of the
//! journal, and `keeper` decides when. The commands themselves run elsewhere.

mod delta;
mod entry;
mod folder;
mod keeper;
mod look;
mod recording;
mod store;

pub(crate) use folder::marked;
pub(crate) use look::place;

pub use keeper::CommandKeeper;
