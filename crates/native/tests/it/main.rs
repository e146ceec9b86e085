//! The parser through its public interface.

mod cases;
mod corpus;
mod families;
mod gallery;
mod laws;
mod mixed;
mod quoted;
mod reading;
mod rules;
mod surface;
mod types;
