//! The parser through its public interface.

mod cases;
mod joined;
mod laws;
mod written;
