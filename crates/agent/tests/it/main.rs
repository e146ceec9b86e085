//! The loop through its public interface, with real parts below it.

mod actions;
mod again;
mod answers;
mod approvals;
mod budget;
mod child;
mod child_stops;
mod cuts;
mod eager;
mod endless;
mod handles;
mod history;
mod killed;
mod late;
mod llm;
mod metrics;
mod runs;
mod session_faults;
mod session_model;
mod sessions;
mod silent;
mod stops;
mod streams;
mod support;
mod users;
mod workflow;
