//! The in-memory store, the parts that stores share, and the suite itself.

mod broken;
mod errors;
mod foreign;
mod heads;
mod media;
mod memory;
mod paged;
mod search;
mod spaces;
mod summary;
mod transfer;
mod validate;
mod wrappers;
