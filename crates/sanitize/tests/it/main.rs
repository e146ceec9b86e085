//! Tests of the crate through its public interface.

mod hidden;
mod json;
mod sanitize;
mod secrets;
mod terminal;
