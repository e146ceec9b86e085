//! The words and their JSON.

mod calls;
mod content;
mod edges;
mod json;
mod line;
mod members;
mod usage;
mod words;
