//! The `silcrow` binary as a person and a program use it.

mod approve;
mod call_text;
mod ends;
mod errors;
mod follow;
mod grammar;
mod limits;
mod log;
mod manifest;
mod models;
mod offers;
mod read;
mod rehearse;
mod resumed;
mod runs;
mod support;
mod tls;
mod tokens;
mod told;
mod vendors;
