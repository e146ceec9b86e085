//! The words and their JSON.

mod calls;
mod json;
mod line;
mod members;
