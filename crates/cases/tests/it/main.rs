//! The notation through its public interface.

mod errors;
mod import;
mod laws;
mod notation;
