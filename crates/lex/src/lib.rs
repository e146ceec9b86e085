//! Finds the markers of a streamed wire protocol across chunk boundaries; `no_std`, no allocation.
#![no_std]

mod dialect;

pub use dialect::Dialect;
