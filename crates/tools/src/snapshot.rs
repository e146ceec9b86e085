//! Snapshots of a root, so that what commands do to files can be taken back.
//!
//! `look` reads a tree, `entry` compares two looks, `store` keeps contents, `folder` is where a
//! snapshot is and which commands run, `recording` turns differences into a record of the journal,
//! and `keeper` decides when. This module knows no commands.

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
