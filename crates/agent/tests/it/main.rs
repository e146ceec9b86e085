//! The loop through its public interface, with real parts below it.

mod actions;
mod eager;
mod history;
mod runs;
mod stops;
mod support;
