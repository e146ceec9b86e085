//! What reaches a collector, and what a collector that fails costs.

mod collector;
mod exporting;
mod faults;
mod runs;
mod variables;
