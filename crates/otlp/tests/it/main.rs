//! Tests of the crate from outside.

mod blocks;
mod call_starts;
mod metrics;
mod random_logs;
mod runs;
mod span_tree;
mod typical;
mod whole_input;
