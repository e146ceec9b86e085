//! The Rust on the pages for people, compiled and run as examples of this crate.
//!
//! Only `cargo test --doc --all-features` builds this module. A test in `xtask` checks that it
//! contains each page with Rust.

#[doc = include_str!("../../../README.md")]
mod readme {}

#[doc = include_str!("../../../docs/guide.md")]
mod guide {}

#[doc = include_str!("../../../docs/durable-workflows.md")]
mod durable_workflows {}
