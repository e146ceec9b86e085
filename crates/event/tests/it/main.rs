//! The words and their JSON.

mod calls;
mod edges;
mod json;
mod line;
mod members;
mod usage;
