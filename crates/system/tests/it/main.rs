//! Real files on this system.

#[cfg(unix)]
mod unix;
