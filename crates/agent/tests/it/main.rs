//! The loop through its public interface, with real parts below it.

mod actions;
mod again;
mod approvals;
mod child;
mod eager;
mod history;
mod killed;
mod late;
mod llm;
mod metrics;
mod runs;
mod sessions;
mod stops;
mod support;
mod users;
mod workflow;
