//! The tests of the public interface.

mod compared;
mod exports;
mod followed;
mod found;
mod table;
