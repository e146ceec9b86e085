//! Servers at real sockets, with models that say what a test lets them say.

mod access;
mod acknowledged;
mod ag_ui;
mod ai_sdk;
mod chat_completions;
mod conversations;
mod described;
mod disconnect;
mod ends;
mod event_schemas;
mod examples;
mod faults;
mod follow;
mod limits;
mod lost_runs;
#[cfg(unix)]
mod machines;
mod other_processes;
mod page;
mod questions;
mod reply;
mod responses;
mod runs;
mod save;
mod strange_ids;
mod support;
mod told;
mod users;
