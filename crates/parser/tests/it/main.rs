//! The parser through its public interface.

mod action;
mod cases;
mod laws;
mod oracle;
mod parse;
mod surface;
mod written;
