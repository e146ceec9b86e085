//! Tests of the crate from outside, by a client at the other end of a pipe.

mod client;
mod commands;
mod faults;
mod host;
mod permissions;
mod person;
mod prompts;
mod sessions;
