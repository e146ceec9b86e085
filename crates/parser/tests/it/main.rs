//! The parser through its public interface.

mod cases;
mod oracle;
mod parse;
mod laws;
mod splits;
mod written;
