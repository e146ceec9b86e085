//! Servers at real sockets, with models that say what a test lets them say.

mod access;
mod ai_sdk;
mod conversations;
mod ends;
mod follow;
mod limits;
mod questions;
mod runs;
mod save;
mod support;
mod users;
