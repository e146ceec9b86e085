//! The language through its public interface.

mod cases;
mod errors;
mod laws;
mod outputs;
mod sources;
mod surface;
