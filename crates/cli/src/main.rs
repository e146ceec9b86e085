//! The `silcrow` command.
fn main() {}
