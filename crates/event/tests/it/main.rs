//! The public interface of the crate.

mod calls;
mod content;
mod edges;
mod json;
mod line;
mod members;
mod time;
mod usage;
mod words;
