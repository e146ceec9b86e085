//! Servers at real sockets, with models that say what a test lets them say.

mod access;
mod acknowledged;
mod ag_ui;
mod ai_sdk;
mod answer_forms;
mod attached;
mod chat_completions;
mod client_tool_rules;
mod client_tools;
mod conversations;
mod described;
mod disconnect;
mod ends;
mod event_schemas;
mod examples;
mod failures;
mod faults;
mod follow;
mod late_events;
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
