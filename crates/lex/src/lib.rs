//! Finds the markers of a streamed wire protocol across chunk boundaries; `no_std`, no allocation.
