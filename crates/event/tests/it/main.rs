//! The public interface of the crate.

mod any_block;
mod any_event;
mod calls;
mod content;
mod data_marks;
mod diagnostics;
mod edges;
mod json;
mod line;
mod media;
mod members;
mod mended;
mod message_lists;
mod outcomes;
mod question;
mod results;
mod run_event_lines;
mod spending;
mod time;
mod usage;
mod words;
