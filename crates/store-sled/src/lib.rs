//! The embedded store of silcrow, on sled.
