//! Tests of the crate through its public interface.

mod hidden;
mod json;
mod prose;
mod sanitize;
mod secrets;
mod terminal;
