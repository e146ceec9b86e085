//! The planner through its public interface.

mod answer;
mod batch;
mod graph;
mod model;
mod names;
mod play;
mod retry;
