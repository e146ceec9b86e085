//! The tests of the public interface. Environments are given, so no test reads or sets a variable.

mod keys;
mod listing_server;
mod names;
mod windows;
