//! The loop through its public interface, with real parts below it.

mod actions;
mod again;
mod approvals;
mod budget;
mod child;
mod cuts;
mod eager;
mod endless;
mod history;
mod killed;
mod late;
mod llm;
mod metrics;
mod runs;
mod sessions;
mod silent;
mod stops;
mod support;
mod users;
mod workflow;
