//! The `silcrow` binary as a person and a program use it.

mod approve;
mod call_text;
mod errors;
mod follow;
mod grammar;
mod hidden;
mod limits;
mod log;
mod manifest;
mod models;
mod offers;
mod protected;
mod reached;
mod read;
mod recording;
mod rehearse;
mod resumed;
mod runs;
mod support;
mod tls;
mod tokens;
mod told;
mod unreliable;
mod vendors;
