//! The `Store` trait, the in-memory store and the conformance suite every store passes.
