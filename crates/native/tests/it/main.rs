//! The parser through its public interface.

mod cases;
mod families;
mod gallery;
mod laws;
mod quoted;
mod reading;
mod rules;
mod surface;
mod types;
