//! The data that reaches a collector, and the cost of a collector that fails.

mod collector;
mod exporting;
mod faults;
mod runs;
mod variables;
