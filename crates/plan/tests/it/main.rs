//! The planner through its public interface.

mod answer;
mod batch;
mod blocks;
mod blocks_bounds;
mod driven;
mod graph;
mod model;
mod names;
mod play;
mod retry;
mod rollback_trees;
mod surface;
mod transactions;
mod tree;
mod trees;
